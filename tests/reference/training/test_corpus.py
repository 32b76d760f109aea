"""Corruption of many documents at once, compared with drawing item by item."""

import random

import pytest
import torch
from scipy.stats import chi2_contingency

from reference.data.corruption import CharCorruptionDataset
from reference.data.edition import STANFORD_2021, STANFORD_2024, XCS224N
from reference.data.vocabulary import MASK, PAD, Vocabulary
from reference.training.gpt.batches.corpus import corrupt, draw_spans, read_corpus

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
        said = text_of(vocabulary, sequence)
        n, _, _ = spans(said, documents[row])
        assert said.count(MASK) == edition.marks
        assert real == n + edition.marks == len(said.rstrip(PAD))
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
    n, m, start = (each.tolist() for each in draw_spans(corpus, torch.zeros(DRAWS).long()))
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
    table = [[each.count(value) for value in values] for each in (sample, other)]
    kept = [column for column in zip(*table, strict=True) if sum(column) >= 20]
    rest = [sum(column) for column in zip(*table, strict=True)]
    assert sum(map(sum, kept)) > 0.95 * sum(rest), "too thin to compare"
    return 1.0 if len(kept) < 2 else chi2_contingency(list(zip(*kept, strict=True))).pvalue


def test_difference_is_seen():
    """The comparison has the power to see a mean masked share of 1/5 instead of 1/4."""
    rng = random.Random(0)
    quarter = [rng.randint(1, 19) for _ in range(2000)]
    fifth = [rng.randint(1, 15) for _ in range(20_000)]
    assert chance(quarter, fifth) < ALPHA
