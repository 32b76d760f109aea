"""Batches: groups of similar length with the same gradient, and the finetuning examples."""

import pytest
import torch

from reference.data.corruption import CharCorruptionDataset
from reference.data.names import NameDataset
from reference.data.world import answered, make_world
from reference.models.gpt import PAD_ID
from reference.training.gpt.batches.batch import Batch, target_lengths
from reference.training.gpt.batches.questions import read_questions
from reference.training.gpt.steps.step import Step


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
    plain, filled = (gradient(each, tiny_model(), machine, group=0) for each in (batch, full))
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
