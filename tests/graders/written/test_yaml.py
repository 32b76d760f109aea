"""answers.yaml as students write it; of a broken file, a person reads what cannot be read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

BEFORE = "2.1.1: [3, 2, 4]\n"
AFTER = "1d.i:\n  q1: a\n  q2: b\nQ3.1: C\n"
BROKEN = {
    "quote": "1b:\n  formula: '2*x\n  text: why\n",
    "double quote": '1b:\n  formula: "2*x\n  text: why\n',
    "bracket": "1b: [2*x\n",
    "brace": "1b: {formula: 2*x, text: why\n",
    "sum": '1b: "\\sum x"\n',
    "rest": "1b: '2*x' and more\n",
    "indent": "1b:\n  formula: 'x'\n text: why\n",
}


@pytest.mark.parametrize(
    "text",
    [
        '"1b": {formula: "2*x", text: why}\n',
        "1b:\n  formula: |\n    2*x\n  text: >\n    why\n",
        "1b:\n  Formula: 2*x\n  explanation: why\n",
        "1:\n  b:\n    formula: 2*x\n    text: why\n",
        "Question 1b:\n  - formula: 2*x\n    text: why\n",
        "1b: |\n  formula: 2*x\n  text: why\n",
        "\ufeff1b:\r\n  formula: 2*x\r\n  text: why\r\n",
    ],
)
def test_yaml_may_be_written_in_many_ways(text, parts_of):
    assert parts_of(text, "1b", "answers.yaml") == {"formula": ["2*x"], "text": ["why"]}


@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        ("2.1.1: [3, 2, -4]", "2.1.1", "[3, 2, -4]"),
        ("g: {answer: no}", "g", "no"),
        ("g:\n  answer: False", "g", "False"),
        ("Q3.2: [A, C]", "Q3.2", "A, C"),
        ("3.1: C", "Q3.1", "C"),
        ("1e.ii: {K: [[1, 0], [0, 1.50]]}", "1e.ii", "[[1, 0], [0, 1.50]]"),
    ],
)
def test_yaml_keeps_what_was_typed(text, question, value, parts_of):
    parts = parts_of(text, question, "answers.yaml")
    assert next(iter(parts.values())) == [value]


def test_yaml_notes_keep_their_lines(read):
    answers = read("1bb: x\n1b:\n  formul: y\n1d.i:\n  q3: z\n", "answers.yaml")
    notes = [note for answer in answers.by_question.values() for note in answer.notes]
    assert any("`1bb` in line 1" in note and "`1b`" in note for note in notes)
    assert any("`q3` in line 5 is not a part of 1d.i" in note for note in notes)


def test_yaml_with_a_stray_character_is_read_all_the_same(read):
    answers = read("1b:\n  formula: *x\n  text: note: this\nQ3.1: C\n", "answers.yaml")
    assert answers.of("1b").text("formula") == "*x"
    assert answers.of("1b").text("text") == "note: this"
    assert "line 2" in answers.notes[0]


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_person_sees_what_is_broken_and_the_others_are_read(broken, read):
    answers = read(BEFORE + broken + AFTER, "answers.yaml")
    assert not answers.of("1b").parts
    assert answers.of("1b").unplaced == broken.strip()
    assert answers.of("2.1.1").text("vector") == "[3, 2, 4]"
    assert answers.of("1d.i").text("q2") == "b"
    assert answers.of("Q3.1").text("choice") == "C"
    assert not answers.of("g").unplaced


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (BROKEN["quote"], "line 3 is not valid YAML: close the quote that begins there"),
        (BROKEN["bracket"], "line 2 is not valid YAML: close the bracket that begins there"),
        ("1b:\n\tformula: 2*x\n", "line 3 is not valid YAML: indent with spaces, not tabs"),
    ],
)
def test_the_student_is_told_the_line_and_the_remedy(broken, said, read):
    assert said in read(BEFORE + broken + AFTER, "answers.yaml").notes[0]


def test_lines_keep_their_numbers_in_a_broken_file(read):
    answers = read(BEFORE + BROKEN["quote"] + AFTER, "answers.yaml")
    assert [value.line for value in answers.of("1d.i").parts["q1"]] == [6]


def test_tabs_are_read_as_indents(parts_of):
    parts = parts_of("1b:\n\tformula: 2*x\n\ttext: why\n", "1b", "answers.yaml")
    assert parts == {"formula": ["2*x"], "text": ["why"]}


def test_a_broken_answer_in_a_group_leaves_its_neighbours(read):
    answers = read("1:\n  b: '2*x\n  d.ii: because\n  a.i: so\n", "answers.yaml")
    assert answers.of("1b").unplaced == "b: '2*x"
    assert answers.of("1d.ii").text("text") == "because"
    answers = read("Q3.1: C\n1: [b, 'c\n", "answers.yaml")
    assert "[b, 'c" in answers.of("1b").unplaced
    assert answers.of("Q3.1").text("choice") == "C"
    assert read("Q3.1: C\n1bb: 'x\n", "answers.yaml").of("1b").unplaced == "1bb: 'x"


def test_what_stands_between_two_stray_quotes_is_read_by_a_person(read):
    for text in (
        "1b: 'one\nQ3.1: C\n1d.ii: the students'\n",
        "1:\n  b: 'one\n  d.ii: the students'\nQ3.1: C\n",
    ):
        answers = read(text, "answers.yaml")
        assert answers.of("1b").unplaced
        assert answers.of("1d.ii").unplaced
    text = "1b:\n  formula: '2*x\n  text: the students'\n"
    answer = read(text, "answers.yaml").of("1b")
    assert (answer.parts, answer.unplaced) == ({}, text.strip())


def test_a_key_within_a_text_of_a_broken_file_costs_nothing(read):
    text = "1b: 2*x\n1d.ii: 'as in\n1b: we see'\nQ3.1: [\n"
    assert not read(text, "answers.yaml").of("1b").parts


def test_all_documents_of_a_file_and_all_values_of_a_key_are_read(read, parts_of):
    answers = read("1b: 2*x\n---\nQ3.1: C\n", "answers.yaml")
    assert (answers.of("1b").text("formula"), answers.of("Q3.1").text("choice")) == ("2*x", "C")
    assert parts_of("Q3.1: C\nQ3.1: D\n", "Q3.1", "answers.yaml") == {"choice": ["C", "D"]}


def test_a_part_that_is_not_indented_is_read_by_a_person(read):
    answer = read("1b:\nformula: 2*x\ntext: why\nQ3.1: C\n", "answers.yaml").of("1b")
    assert "formula: 2*x" in answer.unplaced
    assert "indent `formula` in line 2" in answer.notes[0]


def test_a_name_above_broken_answers_is_no_answer(read):
    assert not read("Name: Ada\n1b: [\nQ3.1: C\n", "answers.yaml").of("1d.i").unplaced


@pytest.mark.parametrize("name", ["alpha", "beta", "frac{1}", "theta", "rho", "nu", "Phi"])
def test_between_double_quotes_latex_keeps_its_backslash_and_lines_their_break(name, parts_of):
    parts = parts_of(f'1d.ii: "2 \\{name}\\ntwo"\n', "1d.ii", "answers.yaml")
    assert parts == {"text": [f"2 \\{name}\ntwo"]}


def test_nothing_in_a_broken_file_is_evaluated(parts_of):
    text = "1d.ii: !!python/object/apply:os.getcwd []\n1b: [\n"
    (value,) = parts_of(text, "1d.ii", "answers.yaml").get("text", [""])
    assert "/" not in value.replace("python/object", "")


ANSWERS = {"1a.i": "so", "1b": "2*x", "1d.ii": "because", "Q3.1": "C", "2.1.1": "[1, 2]", "g": "no"}


@given(st.data())
def test_no_typing_mistake_makes_an_answer_unanswered(read, data):
    """A character too many or too few anywhere behind a key: read, or read by a person."""
    lines = [f"{key}: {value}" for key, value in ANSWERS.items()]
    at = data.draw(st.integers(0, len(lines) - 1))
    place = data.draw(st.integers(lines[at].index(":") + 2, len(lines[at])))
    typed = data.draw(
        st.sampled_from(["'", '"', "[", "{", "\t", "&", "*", "%", "@", "`", "]", "|"])
    )
    lines[at] = lines[at][:place] + typed + lines[at][place:]
    answers = read("\n".join(lines), "answers.yaml")
    for key in ANSWERS:
        assert answers.of(key).parts or answers.of(key).unplaced, lines


@pytest.mark.parametrize("mark", ["'", '"', "[", "{"])
def test_a_broken_file_costs_no_points_without_a_person(mark, grade):
    text = f"1a: B\n1b:\n  formula: {mark}2*a\n  text: why\n1c.i:\n  q1: a\n  q2: b\n"
    _, checks = grade({"answers.yaml": text})
    assert checks["1a/machine"].status == "passed"
    assert checks["1c.i/machine"].status == "passed"
    assert checks["1b/review"].status == "needs_review"
    assert checks["1b/machine"].status in ("needs_review", "passed")
    messages = " ".join(check.message for check in checks.values())
    assert re.search(r"line \d+ ", messages)
