"""The finetuning examples, compared with the dataset that makes them one at a time."""

import pytest
import torch

from reference.data.corruption import CharCorruptionDataset
from reference.data.names import NameDataset
from reference.data.world import answered, make_world
from reference.training.gpt.batches.questions import read_questions

CPU = torch.device("cpu")


def test_examples_are_the_dataset_s_without_pads():
    world = make_world(3)
    text = answered(world.train)
    dataset = NameDataset(CharCorruptionDataset(world.wiki, 128), text)
    x, y = read_questions(world.wiki, text, 128, CPU)
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
        read_questions("Ada was born.", "", 128, CPU)
