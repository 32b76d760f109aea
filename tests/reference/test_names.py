"""The finetuning dataset, compared with examples written by hand."""

import pytest
import torch

from reference.data.corruption import CharCorruptionDataset
from reference.data.names import NameDataset

WIKI = "Where was Ada Li born? In Rome."


def dataset(lines, block_size=20):
    return NameDataset(CharCorruptionDataset(WIKI, block_size), lines)


def spelled(names, index=0):
    return tuple("".join(names.itos[int(i)] for i in tensor) for tensor in names[index])


@pytest.mark.parametrize(
    ("line", "block_size", "x", "y"),
    [
        ("Where Li?\tRome\n", 20, "Where Li?⁇Rome⁇□□□□", "□□□□□□□□⁇Rome⁇□□□□□"),
        ("Where was Li?\tRome\n", 19, "Where was Li?⁇Rome", "□□□□□□□□□□□□⁇Rome⁇"),
        ("Łi Adaé?\tRomeñ\n", 14, "i Ada?⁇Rome⁇□", "□□□□□⁇Rome⁇□□"),  # ASCII alone is kept
    ],
)
def test_example_is_as_written_by_hand(line, block_size, x, y):
    assert spelled(dataset(line, block_size)) == (x, y)


def test_x_and_y_lack_one_character_and_a_long_line_is_named():
    for tensor in dataset("Where Li?\tRome\n", 128)[0]:
        assert (tensor.shape, tensor.dtype) == ((127,), torch.int64)
    assert len(dataset("Li?\tRome\nAda?\tRome\n")) == 2
    names = dataset("Li?\tRome\nWhere was Ada Li born?\tRome\n")
    assert spelled(names, 0)
    with pytest.raises(ValueError, match="line 2 needs 28 characters, a block 20"):
        names[1]


@pytest.mark.data
def test_course_questions_read(course):
    wiki = CharCorruptionDataset((course / "wiki.txt").read_text(encoding="utf-8"), 128)
    names = NameDataset(wiki, (course / "birth_places_train.tsv").read_text(encoding="utf-8"))
    assert len(names) == 2000
    assert spelled(names)[0].startswith("Where was Khatchig Mouradian born?⁇Lebanon⁇□")
    assert all(len(x) == len(y) == 127 for x, y in map(names.__getitem__, range(2000)))
