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


def test_example_is_as_written_by_hand():
    x, y = spelled(dataset("Where Li?\tRome\n"))
    assert x == "Where Li?⁇Rome⁇□□□□"
    assert y == "□□□□□□□□⁇Rome⁇□□□□□"


@pytest.mark.parametrize("block_size", [16, 20, 128])
def test_x_and_y_lack_one_character(block_size):
    for tensor in dataset("Where Li?\tRome\n", block_size)[0]:
        assert tensor.shape == (block_size - 1,)
        assert tensor.dtype == torch.int64


def test_targets_are_the_answer_alone():
    """Wherever y is not PAD it is the character after x, from the MASK to the second MASK."""
    x, y = dataset("Where Li?\tRome\n")[0]
    trained = y.nonzero().flatten()
    assert torch.equal(y[trained], x[trained + 1])
    assert trained.tolist() == list(range(8, 14))


def test_last_empty_piece_is_not_counted():
    assert len(dataset("Li?\tRome\nAda?\tRome\n")) == 2


def test_letters_beyond_ascii_are_dropped():
    x, _ = spelled(dataset("Łi Adaé?\tRomeñ\n"))
    assert x.rstrip("□") == "i Ada?⁇Rome⁇"


def test_line_longer_than_block_is_named():
    names = dataset("Li?\tRome\nWhere was Ada Li born?\tRome\n")
    assert spelled(names, 0)
    with pytest.raises(ValueError, match="line 2 needs 28 characters, a block 20"):
        names[1]


def test_longest_line_fills_the_block():
    x, y = spelled(dataset("Where was Li?\tRome\n", 19))
    assert (x, y) == ("Where was Li?⁇Rome", "□□□□□□□□□□□□⁇Rome⁇")


@pytest.mark.data
def test_course_questions_read(course):
    wiki = CharCorruptionDataset((course / "wiki.txt").read_text(encoding="utf-8"), 128)
    names = NameDataset(wiki, (course / "birth_places_train.tsv").read_text(encoding="utf-8"))
    assert len(names) == 2000
    assert spelled(names)[0].startswith("Where was Khatchig Mouradian born?⁇Lebanon⁇□")
    assert all(len(x) == len(y) == 127 for x, y in map(names.__getitem__, range(2000)))
