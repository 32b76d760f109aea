import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.assignments.cs224n_a4.hidden.predictions.files import (
    Aligned,
    Misaligned,
    read_predictions,
)

PLACES = ["Berlin", "Paris", "New York", "St. Louis", "London", "Rome"]
TEXT = "".join(f"{place}\n" for place in PLACES)
HEADINGS = [
    "Correct: 92.0 out of 500.0: 18.4%",
    "0.184",
    "18.4%",
    "Accuracy",
    "# predictions",
    "dev accuracy: 0.2\n",
    "data has 418351 characters, 256 unique.\nnumber of parameters: 3323392",
    "Predictions\n-----------",
    "Jane Doe\nAccuracy: 18.4%",
    "None",
    "-",
    "\x0c",
    "\u00a0",
    "Name\tPlace",
    "",
    "\n",
]


def read(text):
    return read_predictions(text.encode(), len(PLACES))


@pytest.mark.parametrize(
    "raw",
    [
        TEXT.encode(),
        TEXT.encode()[:-1],
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
        TEXT.replace("\n", "\r\r\n").encode(),
        TEXT.replace("\n", "\n\r").encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        TEXT.replace("\n", "\r\n").encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-32"),
        TEXT.encode() + b"\x1a",
    ],
)
def test_encoding_and_line_ends_do_not_matter(raw):
    assert read_predictions(raw, len(PLACES)).predictions == tuple(PLACES)


@pytest.mark.parametrize("heading", HEADINGS)
def test_heading_is_dropped_with_a_note(heading):
    result = read(f"{heading}\n{TEXT}")
    assert result.predictions == tuple(PLACES)
    assert "above" in result.notes[0]


@pytest.mark.parametrize("summary", [*HEADINGS[:4], "None", "500it [02:40, 3.10it/s]"])
def test_summary_at_the_end_is_dropped_with_a_note(summary):
    result = read(f"{TEXT}\n{summary}\n")
    assert result.predictions == tuple(PLACES)
    assert "below" in result.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("\n", "\n\n"),
        "\n" + TEXT.replace("\n", "\n\n"),
        "acc: 18 %\n" + TEXT.replace("\n", "\n\n"),
        TEXT.replace("Rome", "\nRome").replace("Paris", "\n\nParis"),
    ],
)
def test_blank_lines_between_places_are_dropped(text):
    result = read(text)
    assert result.predictions == tuple(PLACES)
    assert "blank" in result.notes[-1]


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ("Berlin\n\nNew York\n\nLondon\nRome\n", (1, 3)),
        ("Berlin\n\n\n\nRome\n\n\n\nParis\n\nRome\n\n", (1, 3)),
        ("acc: 18 %\nBerlin\n\nRome\n\nParis\nRome\n", (1, 3)),
    ],
    ids=["plain", "a blank line after each", "under a heading"],
)
def test_empty_predictions_are_predictions(text, empty):
    predictions = read(text).predictions
    assert tuple(at for at, place in enumerate(predictions) if not place) == empty


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        TEXT + "Oslo\n",
        "Oslo\n" + TEXT,
        TEXT * 2,
        TEXT[7:],
        "\n" + TEXT[7:] + "\n\n",  # is the first place empty, or the last?
        TEXT.replace("\n", "\nOslo\n"),
        "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\n" + TEXT,
        "\0" * 100,
        "a" * 2**21,
        "\r" * 2**20,  # within the limit; for hours, each of them looked for a line feed
    ],
)
def test_doubtful_file_is_not_realigned(text):
    assert isinstance(read(text), Misaligned)


def test_reason_says_how_many_came_and_are_asked():
    reason = read("Rome\nParis\n").reason
    assert "2 lines" in reason
    assert "expected 6" in reason


def test_only_line_ends_part_predictions():
    strange = ["a\u2028b", "c\x0bd", "e\x85f", "g\x1ch", "i\x0cj", "k\u2029l"]
    assert read("\n".join(strange)).predictions == tuple(strange)


def test_windows_encoding_is_read_with_a_note():
    result = read_predictions("Málaga\nRome\n".encode("cp1252"), 2)
    assert result.predictions == ("Málaga", "Rome")
    assert "Windows-1252" in result.notes[0]


def test_accuracy_in_place_of_a_prediction_is_said():
    result = read("acc: 18 %\n" + TEXT[:-5])
    assert "looks like an accuracy" in result.notes[0]


@given(st.binary(max_size=300), st.integers(1, 20))
def test_any_bytes_give_the_asked_number_or_a_reason(raw, count):
    result = read_predictions(raw, count)
    match result:
        case Aligned(predictions, _):
            assert len(predictions) == count
        case Misaligned(reason, _):
            assert reason


@given(st.lists(st.sampled_from([*PLACES, "", "acc: 3%"]), max_size=12))
def test_no_place_is_ever_dropped_but_above_or_below_a_remark(lines):
    result = read_predictions("\n".join([*lines, ""]).encode(), 6)
    if isinstance(result, Aligned) and "acc: 3%" not in lines:
        assert [line for line in result.predictions if line] == [line for line in lines if line]
