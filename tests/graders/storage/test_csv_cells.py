"""No cell of a CSV is a formula, however a program splits it; and texts are restored."""

import contextlib
import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graders.storage.csv_cells import plain_cell, safe_cell, table

ROOT = Path(__file__).parents[3]
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")
NASTY = st.lists(
    st.sampled_from(
        ["=1", "=", "+", "-", "@", "\t", "\r", "\n", ";", ",", '"', "'", " ", "＝", "a"]
    )
    | st.sampled_from(["\u200b", "\xa0", "\ufeff", "\x0b", "\x85", "\u2028", "\x00", "-1.5", "é"]),
    max_size=8,
).map("".join)
TEXTS = NASTY | st.text(max_size=20)
ROWS = st.lists(st.lists(TEXTS, min_size=2, max_size=4), min_size=1, max_size=4)


def pieces(written, delimiter):
    """All cells that a program may see: one that respects quotes, one that does not."""
    text = io.StringIO(written, newline="")
    with contextlib.suppress(csv.Error):  # a carriage return outside of quotes
        yield from (cell for row in csv.reader(text, delimiter=delimiter) for cell in row)
    for row in re.split("[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]", written):
        yield from row.split(delimiter)


def is_formula(cell):
    bare = re.sub('^[\\s"\ufeff\u200b\x00]+', "", cell)
    starts = (cell[:1], bare[:1])
    return not NUMBER.fullmatch(cell.strip('"')) and any(
        start in "=+-@＝＋－＠" for start in starts if start
    )


@given(ROWS, st.sampled_from(",;\t"), st.sampled_from(",;\t"))
@example([["x", 'Ada;=cmd|"/c calc"!A1']], ",", ";")
@example([["x", "a\n=1"]], ",", ";")
@example([["x", "a\t=1"], ["b;", "-1.5"]], ",", "\t")
def test_no_cell_is_a_formula_however_it_is_split(rows, written_with, read_with):
    written = table(rows, delimiter=written_with)
    assert [cell for cell in pieces(written, read_with) if is_formula(cell)] == []


@given(TEXTS)
@example("\t")
@example("\rx")
def test_a_text_begins_with_no_formula_tab_or_return(text):
    cell = safe_cell(text)
    assert NUMBER.fullmatch(cell) or not cell.startswith(tuple("=+-@\t\r＝＋－＠"))


@given(TEXTS)
@example("'=1")
@example(";'=1")
@example("'-1.5")
def test_every_text_comes_back(text):
    assert plain_cell(safe_cell(text)) == text


@given(ROWS, st.sampled_from(",;\t"), st.sampled_from(["\n", "\r\n"]))
def test_every_row_comes_back(rows, delimiter, end):
    written = io.StringIO(table(rows, delimiter=delimiter, end=end), newline="")
    read = csv.reader(written, delimiter=delimiter, strict=True)
    assert [list(map(plain_cell, row)) for row in read] == rows


@pytest.mark.parametrize(
    "text", ["-1.5", "0", "1e-05", "Ada", "a=b", "1-2", "Zoë O'Neil", "'quoted'", "a, b; c"]
)
def test_numbers_and_harmless_texts_stay(text):
    assert safe_cell(text) == text


@pytest.mark.parametrize("end", ["=", "x"])
def test_a_long_text_is_read_once(end, cpu_seconds):
    with cpu_seconds(10):
        safe_cell("\n" * 500_000 + end)


def test_one_module_writes_all_csv():
    folders = ("reports", "graders", "commands", "packages", "benchmarks", "submissions")
    code = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    assert [
        file
        for file in code
        if "examples" not in file.parts
        and re.search(r"csv\.(Dict)?[Ww]riter|\.to_csv\(", file.read_text("utf-8"))
    ] == []
