"""The parts of an answer in answers.md, as students write them."""

import pytest


@pytest.mark.parametrize(
    "body",
    [
        "formula: 2*x\ntext: why",
        "**formula:** 2*x\n\n**text:** why",
        "**Formula**: 2*x\n**Text**: why",
        "- formula: 2*x\n- text: why",
        "### formula\n\n2*x\n\n### text\n\nwhy",
        "## formula\n2*x\n## text\nwhy",
        "**formula**\n2*x\n\n**text**\nwhy",
        "formula: $2*x$\nexplanation: why",
        "formula:\n$$\n2*x\n$$\ntext: why",
        "formula:\n```\n2*x\n```\ntext:\nwhy",
        "formula: `2*x`\nReason: why",
        "answer: \\(2*x\\)\nProof: why",
        "text: why\nformula: 2*x",
        "formula: 2*x\n\nwhy",
        "2*x\ntext: why",
        "2*x\n\nwhy",
        "2*x\nwhy",
        "why\n\n2*x",
        "- 2*x\n\nwhy",
        "> formula: 2*x\n>\n> text: why",
        "formula: 2*x\n---\ntext: why",
        "formula: $\\boxed{2*x}$\n\nwhy",
    ],
)
def test_parts_may_be_named_in_many_ways(body, parts_of):
    assert parts_of(f"## 1b\n{body}\n\n## 1d.ii\nso\n", "1b") == {
        "formula": ["2*x"],
        "text": ["why"],
    }


@pytest.mark.parametrize(
    "body",
    [
        "q1: a\nq2: b",
        "- q1: $a$\n- q2: $b$",
        "q_1 = a\nq_2 = b",
        "$q_1 = a$\n\n$q_2 = b$",
        "$$q_{1} = a$$\n$$q_{2} = b$$",
        "**q1** = a\n**q2** = b",
        "### q1\na\n### q2\nb",
        "a\nb",
        "1. a\n2. b",
    ],
)
def test_two_heads_may_be_named_in_many_ways(body, parts_of):
    assert parts_of(f"## 1d.i\n{body}\n", "1d.i") == {"q1": ["a"], "q2": ["b"]}


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("[3, 2, -4]", "[3, 2, -4]"),
        ("- 3\n- 2\n- -4", "- 3\n- 2\n- -4"),
        ("-3", "-3"),
        ("```python\n3 2 -4\n```", "3 2 -4"),
        ("vector: [3,\n 2, -4]", "[3,\n 2, -4]"),
        ("$[3, 2, -4]$", "[3, 2, -4]"),
    ],
)
def test_a_value_of_one_part_is_taken_whole(answer, value, parts_of):
    assert parts_of(f"## 2.1.1\n{answer}\n", "2.1.1") == {"vector": [value]}


def test_rows_of_a_matrix_may_stand_apart(parts_of):
    body = "**K:**\n[1, 2]\n\n[3, 4]\n\n**Q:** u\n\n**V:** v\n"
    assert parts_of(f"## 1e.ii\n{body}", "1e.ii")["K"] == ["[1, 2]\n[3, 4]"]


@pytest.mark.parametrize(
    "tail",
    [", where x is large", " with x >> 0", " (x >> 0)", ", x ≫ 0", " for large x", " because"],
)
def test_a_condition_is_no_part_of_the_formula(tail, parts_of):
    found = parts_of(f"## 1b\nformula: 2*x{tail}\ntext: why\n", "1b")
    assert found["formula"] == ["2*x"]
    assert found["text"][0].endswith("why")


def test_a_guessed_division_is_told(read):
    answers = read("## 1b\n2*x\n\nIt is twice that.\n")
    assert "line 2 was read as `formula` and the rest as `text`" in answers.of("1b").notes[0]


def test_an_explanation_that_names_a_part_answers_nothing_anew(parts_of):
    body = "answer: True\ntext: It holds.\n- answer: is what I mean\n"
    assert parts_of(f"## g\n{body}", "g")["answer"] == ["True"]


def test_a_part_nearly_named_is_told(read):
    answers = read("## 1b\nfromula: 2*x\ntext: why\n")
    assert any("`fromula` in line 2" in note for note in answers.of("1b").notes)
