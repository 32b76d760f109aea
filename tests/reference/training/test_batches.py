"""Batches: groups of similar length with the same gradient, and the finetuning examples.

Many documents are corrupted at once, which is compared with drawing item by item.
"""

import random

import pytest
import torch
from scipy.stats import chi2_contingency

from reference.data.corruption import CharCorruptionDataset
from reference.data.edition import STANFORD_2021, STANFORD_2024, XCS224N
from reference.data.names import NameDataset
from reference.data.vocabulary import MASK, PAD, Vocabulary
from reference.data.world import answered, make_world
from reference.models.gpt import PAD_ID
from reference.training.gpt.batches import (
    Batch,
    corrupt,
    draw_spans,
    read_corpus,
    read_questions,
    target_lengths,
)
from reference.training.gpt.step import Step


def ragged_batch(rows=11, width=20):
    torch.manual_seed(2)
    lengths = torch.randint(1, width + 1, (rows,))
    column = torch.arange(width)
    x = torch.randint(2, 30, (rows, width)) * (column <= lengths[:, None])
    y = torch.randint(2, 30, (rows, width)) * (column < lengths[:, None])
    return Batch(x, y, lengths)


def gradient(batch, model, machine, *, group):
    model = model.double()
    step = Step(model, [], machine, group)
    count = batch.targets
    for part in batch.groups(group) if group else [batch]:
        (step.summed_loss(part).double() / count).backward()
    return {name: p.grad for name, p in model.named_parameters()}


def test_lengths_end_at_the_last_target_and_rows_of_pads_count_nothing(tiny_model, machine):
    y = torch.tensor([[0, 0, 5, 0], [3, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]])
    assert target_lengths(y).tolist() == [3, 1, 0, 4]
    batch = ragged_batch()
    full = batch.padded(16)
    assert full.x.shape == (16, 20)
    assert (full.y[11:] == PAD_ID).all()
    plain, filled = (gradient(rows, tiny_model(), machine, group=0) for rows in (batch, full))
    for name, expected in plain.items():
        torch.testing.assert_close(filled[name], expected, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("size", [1, 4, 16])
def test_groups_hold_every_target_once_and_have_the_gradient_of_the_whole(
    size, tiny_model, machine
):
    batch = ragged_batch()
    groups = list(batch.groups(size))
    assert sum(len(group) for group in groups) == len(batch)
    assert sum(int(group.targets) for group in groups) == int(batch.targets)
    if size < len(batch):
        assert sum(group.x.numel() for group in groups) < batch.x.numel()
    whole, grouped = (gradient(ragged_batch(), tiny_model(), machine, group=g) for g in (0, size))
    for name, expected in whole.items():
        torch.testing.assert_close(grouped[name], expected, rtol=1e-5, atol=1e-9)


def test_examples_are_the_dataset_s_without_pads():
    world = make_world(3)
    text = answered(world.train)
    dataset = NameDataset(CharCorruptionDataset(world.wiki, 128), text)
    x, y = read_questions(world.wiki, text, 128, torch.device("cpu"))
    assert len(x) == len(y) == len(dataset) == 80
    width = x.shape[1]
    assert width < 60
    for i in range(80):
        plain_x, plain_y = dataset[i]
        assert torch.equal(x[i], plain_x[:width])
        assert torch.equal(y[i], plain_y[:width])
        assert not plain_y[width:].any(), "a target was cut off"
    assert y[:, -1].any(), "a column is left that nobody asks for"


def test_file_without_questions_is_refused():
    with pytest.raises(ValueError, match="no questions"):
        read_questions("Ada was born.", "", 128, torch.device("cpu"))


CPU = torch.device("cpu")
DRAWS = 20_000
# Each comparison of two samples fails by chance once in a million; there are 36 of them here.
ALPHA = 1e-6
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"  # all different


def spans(sequence, document):
    """n, m and start, read off a corrupted sequence of different characters."""
    prefix, suffix, content, *_ = sequence.rstrip(PAD).split(MASK)
    assert prefix + content + suffix == document[: len(prefix + content + suffix)]
    return len(prefix + content + suffix), len(content), len(prefix)


def text_of(vocabulary, row):
    return vocabulary.decode(row.tolist())


@pytest.mark.parametrize("edition", [STANFORD_2024, STANFORD_2021, XCS224N])
@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 5, 17, 60])
def test_every_draw_is_a_corruption_of_its_document(edition, length):
    documents = [LETTERS[:length], LETTERS[1 : 1 + length]]
    text = "\n".join([*documents, LETTERS])
    vocabulary = Vocabulary(text)
    corpus = read_corpus(text, vocabulary, 48, device=CPU, edition=edition)
    torch.manual_seed(1)
    rows = torch.tensor([0, 1] * 200)
    sequences, lengths = corrupt(corpus, rows)
    assert sequences.dtype == torch.int64
    for row, sequence, real in zip(rows, sequences, lengths, strict=True):
        corrupted = text_of(vocabulary, sequence)
        n, _, _ = spans(corrupted, documents[row])
        assert corrupted.count(MASK) == edition.marks
        assert real == n + edition.marks == len(corrupted.rstrip(PAD))
        assert n <= min(length, edition.longest(48))


def test_columns_left_out_are_pads_and_documents_are_drawn_anew():
    """No sequence of the reference has a character where the batch has no column."""
    corpus = read_corpus(LETTERS, Vocabulary(LETTERS), 48, device=CPU)
    dataset = CharCorruptionDataset(LETTERS, 48)
    random.seed(0)
    last = max(int((dataset[0][1] != 0).nonzero().max()) for _ in range(2000))
    assert last == corpus.width - 1
    corpus = read_corpus(LETTERS, Vocabulary(LETTERS), 48, device=CPU)
    first, _ = corrupt(corpus, torch.zeros(64).long())
    again, _ = corrupt(corpus, torch.zeros(64).long())
    assert len({tuple(row) for row in (*first.tolist(), *again.tolist())}) > 100


@pytest.mark.parametrize("length", [4, 5, 7, 16, 41, 60])
def test_draws_are_distributed_as_the_reference_s(length):
    """Two-sample chi-square tests of lengths, masked lengths and places of the mask."""
    document = LETTERS[:length]
    text = f"{document}\n{LETTERS}"
    vocabulary = Vocabulary(text)
    dataset = CharCorruptionDataset(text, 48)
    random.seed(length)
    one_by_one = [
        spans(dataset.padded("".join(map(dataset.itos.get, dataset[0][0].tolist()))), document)
        for _ in range(DRAWS // 10)
    ]
    torch.manual_seed(length)
    corpus = read_corpus(text, vocabulary, 48, device=CPU)
    n, m, start = (span.tolist() for span in draw_spans(corpus, torch.zeros(DRAWS).long()))
    at_once = list(zip(n, m, start, strict=True))
    for what in (
        lambda n, m, start: n,
        lambda n, m, start: m,
        lambda n, m, start: start,
        lambda n, m, start: round(8 * m / n),
        lambda n, m, start: (n // 12, round(4 * start / n)),
        lambda n, m, start: n - m - start,
    ):
        assert chance([what(*s) for s in one_by_one], [what(*s) for s in at_once]) > ALPHA


def chance(sample, other):
    """How probable a difference like this is if both come from one distribution."""
    values = sorted(set(sample) | set(other))
    table = [[draws.count(value) for value in values] for draws in (sample, other)]
    columns = [column for column in zip(*table, strict=True) if sum(column) >= 20]
    rest = [sum(column) for column in zip(*table, strict=True)]
    assert sum(map(sum, columns)) > 0.95 * sum(rest), "too thin to compare"
    return 1.0 if len(columns) < 2 else chi2_contingency(list(zip(*columns, strict=True))).pvalue


def test_difference_is_seen():
    """The comparison has the power to see a mean masked share of 1/5 instead of 1/4."""
    rng = random.Random(0)
    quarter = [rng.randint(1, 19) for _ in range(2000)]
    fifth = [rng.randint(1, 15) for _ in range(20_000)]
    assert chance(quarter, fifth) < ALPHA
