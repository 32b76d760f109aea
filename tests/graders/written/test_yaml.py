"""answers.yaml as students write it."""

import pytest


@pytest.mark.parametrize(
    "text",
    [
        "1b:\n  formula: 2*x\n  text: why\n",
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
        ("2.1.1:\n- 3\n- 2\n- -4", "2.1.1", "[3, 2, -4]"),
        ("g: {answer: no}", "g", "no"),
        ("g:\n  answer: False", "g", "False"),
        ("Q3.2: [A, C]", "Q3.2", "A, C"),
        ("3.1: C", "Q3.1", "C"),
        ("1e.ii: {K: [[1, 0], [0, 1.50]]}", "1e.ii", "[[1, 0], [0, 1.50]]"),
    ],
)
def test_yaml_keeps_what_was_typed(text, question, value, parts_of):
    found = parts_of(text, question, "answers.yaml")
    assert next(iter(found.values())) == [value]


def test_yaml_notes_keep_their_lines(read):
    answers = read("1bb: x\n1b:\n  formul: y\n1d.i:\n  q3: z\n", "answers.yaml")
    notes = [note for answer in answers.given.values() for note in answer.notes]
    assert any("`1bb` in line 1" in note and "`1b`" in note for note in notes)
    assert any("`q3` in line 5 is not a part of 1d.i" in note for note in notes)


def test_yaml_with_a_stray_character_is_read_all_the_same(read):
    answers = read("1b:\n  formula: *x\n  text: note: this\nQ3.1: C\n", "answers.yaml")
    assert answers.of("1b").text("formula") == "*x"
    assert answers.of("1b").text("text") == "note: this"
    assert "line 2" in answers.notes[0]
