"""Answers without named parts are divided as a reader would divide them."""

import pytest

from graders.written.question import Machine, Question, Review, RubricItem
from graders.written.reading.answers import read_answers
from graders.written.reading.wanted import wanted_of

TABLE = "| lr | dev |\n|---|---|\n| 1 | 2 |"


def parts_of(body, parts, kind, *, text=False):
    machine = Machine(1, kind, parts, "any", {}, (), "", "")
    review = Review(1, "text", (RubricItem(1, "why", (), ()),)) if text else None
    question = Question("Q1", "A title", "A prompt", machine, review)
    read = read_answers({"answers.md": f"## Q1\n{body}\n".encode()}, (wanted_of(question),))
    return {name: values[0].text for name, values in read.of("Q1").parts.items()}


@pytest.mark.parametrize(
    "line",
    [
        "6,920, 872 and 1,821",
        "6920/872/1821",
        "6920,872,1821",
        "(6920, 872, 1821)",
        "6920 872 1821",
        "Train 6920, validation 872, test 1821",
        "Train: 6920, Val: 872, Test: 1821",
        "train: 6920\ndev set: 872\ntesting: 1821",
    ],
)
def test_several_numbers_are_told_apart(line):
    found = parts_of(line, ("train", "validation", "test"), "number")
    assert found == {"train": "6920", "validation": "872", "test": "1821"}


def test_only_value_of_a_formula_is_found_among_words():
    assert parts_of("Two classes, each with a bias.\n\n2d + 2", ("count",), "formula") == {
        "count": "2d + 2"
    }


def test_two_formulas_are_not_chosen_from():
    assert parts_of("2d\n\n2d + 2", ("count",), "formula") == {"count": "2d\n\n2d + 2"}


def test_a_sentence_goes_to_the_reader_of_vectors_and_to_a_person():
    body = "The scores are 3, 1, 1, -3, so it returns [3, 2, -4]."
    assert parts_of(body, ("vector",), "vector", text=True) == {"vector": body, "text": body}


def test_reason_behind_a_vector_is_text():
    found = parts_of("[1, 2, 3] because they are equal", ("vector",), "vector", text=True)
    assert found == {"vector": "[1, 2, 3]", "text": "because they are equal"}


@pytest.mark.parametrize("body", [f"{TABLE}\n\nchosen: 1", f"runs:\n{TABLE}\n\nchosen: 1"])
def test_words_below_a_table_belong_to_it_and_to_the_text(body):
    found = parts_of(body, ("runs",), "table", text=True)
    assert TABLE in found["runs"]
    assert "chosen: 1" in found["runs"]
    assert "chosen: 1" in found["text"]


def test_table_without_a_name_goes_to_the_part_that_lacks_one():
    body = f"train_epoch: 8\nvalidation epoch: 1\n\n{TABLE}"
    found = parts_of(body, ("train_epoch", "dev_epoch", "curve"), "table")
    assert found["curve"] == TABLE


def test_a_definition_stays_with_its_formula():
    body = "S*x, where S = 1000"
    assert parts_of(body, ("formula",), "formula", text=True)["formula"] == body


@pytest.mark.parametrize("kind", ["formula", "vector"])
def test_an_empty_value_is_looked_for_in_the_text(kind):
    body = "formula:\ntext: We take q = [3, 2] * 1."
    found = parts_of(body, ("formula",), kind, text=True)
    assert found["formula"].startswith("We take q =")


def test_a_text_without_any_formula_leaves_the_value_empty():
    body = "formula:\ntext: because the keys are orthogonal"
    assert set(parts_of(body, ("formula",), "formula", text=True)) == {"text"}


def unplaced(body, parts, kind):
    machine = Machine(1, kind, parts, "any", {}, (), "", "")
    question = Question("Q1", "A title", "A prompt", machine, None)
    read = read_answers({"answers.md": f"## Q1\n{body}\n".encode()}, (wanted_of(question),))
    return read.of("Q1").unplaced


@pytest.mark.parametrize(
    "body", ["(q1, q2) = (a, b)", "Both queries are large.", "first a\nthen b\nand c"]
)
def test_what_names_no_part_is_kept_for_a_person(body):
    assert unplaced(body, ("q1", "q2"), "formula") == body


@pytest.mark.parametrize("body", ["", "TODO", "I don't know", "q1: a\nq2: b"])
def test_nothing_is_kept_where_nothing_is_missing(body):
    assert unplaced(body, ("q1", "q2"), "formula") == ""
