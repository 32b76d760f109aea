"""Texts of characters are in columns; everything else remains label and value."""

import pytest

from reports.drawing.counterexamples import MOST, example, is_exact, named_lists
from tests.reports.conftest import check_result

ASKED = "prefix ⁇ suffix ⁇ content □ □ …"


def example_of(*pairs, **words):
    return example(check_result("failed", counterexample=pairs, **words))


def texts(row):
    return "".join(cell.text for cell in row.cells)


def test_a_sequence_stands_under_its_document():
    shown = example_of(
        ("document", "ab cd"), ("block size", "9"), ("what came", "a⁇ c⁇d□"), ("asked", ASKED)
    )
    assert [(row.label, texts(row)) for row in shown.grid.rows] == [
        ("document", "ab cd"),
        ("what came", "a⁇ c⁇d□"),
    ]
    kinds = [cell.kind for cell in shown.grid.rows[1].cells]
    assert kinds == ["", "mask", "sp", "", "mask", "", "pad"]
    assert shown.rows == (("block size", "9"), ("asked", ASKED))


def test_differences_are_shown_in_rows_that_are_cut_and_told_once():
    grid = example_of(("document", "abc"), ("expected", "ab⁇□"), ("what came", "ac⁇□")).grid
    differing = [[cell.differs for cell in row.cells] for row in grid.rows]
    assert differing[1:] == [[False, True, False, False]] * 2
    assert grid.differing == 1
    assert not any(differing[0])
    grid = example_of(("expected", "ab⁇□"), ("what came", "ac⁇□□")).grid
    assert (grid.differing, grid.width) == (0, 5)
    shown = example_of(("asked", "y"), ("size", "4"), expected="y", actual="x")
    assert shown.rows == (("size", "4"),)
    grid = example_of(("document", "a" * 500), ("what came", "⁇" * 500)).grid
    assert [len(row.cells) for row in grid.rows] == [MOST, MOST]
    assert grid.rows[0].more == 500 - MOST
    cells = example_of(("document", "a\x1b\u202e"), ("what came", "a⁇")).grid.rows[0].cells
    assert [cell.text for cell in cells] == ["a", r"\x1b", r"\u202e"]


def test_lists_stand_in_columns_with_a_name_or_without():
    lists = (("predictions", "[0, 1, 1, 0]"), ("labels", "[0, 1, 0, 0]"))
    shown = example_of(*lists, ("given as", "a list"))
    assert shown.grid.wide
    assert shown.grid.differing == 1
    assert shown.rows == (("given as", "a list"),)
    grid = named_lists("x = [4, 2, 8]\ny = [2, 8, 10]")
    assert [(row.label, texts(row)) for row in grid.rows] == [("x", "428"), ("y", "2810")]
    assert grid.differing == 0, "a target is another than its input, and right"


@pytest.mark.parametrize(
    "text", ["", "x = [1]", "x = [1, 2]\nand y", "x = []\ny = []", "x = [a]\ny = [b]"]
)
def test_other_texts_are_no_lists(text):
    assert named_lists(text) is None


@pytest.mark.parametrize(
    ("label", "text", "exact"),
    [
        ("document", "a b", True),
        ("shape", "(B, T) = (1, 2)", False),
        ("what came", " x", True),
        ("what came", "a  b", True),
        ("what came", "a\tb", True),
        ("what came", "□ a", True),
    ],
)
def test_spaces_are_drawn_where_they_count(label, text, exact):
    assert is_exact(label, text) is exact
