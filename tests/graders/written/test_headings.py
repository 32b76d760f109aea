"""The question that a heading or a line means."""

import pytest

from graders.written.reading.answers import read_answers
from graders.written.reading.question_parts import expected_parts
from tests.graders.written.conftest import ask


@pytest.mark.parametrize(
    "heading",
    [
        "## 1 b", "##1b", "## `1b`", "## Problem 1b", "## 1b - a title", "## 1b – a title",
        "## Ex. 1b", "## 1b (2 points)", "## Answer to 1b", "## An average of two values",
        "**1b**", "# Question 1\n## (b)", "# Part 1: Attention\n### b) An average",
        "## 1B", "## (1b)", "## Question 1 (b): a title", "- **1b**", "# Question 1\n**(b)**",
    ],
)  # fmt: skip
def test_a_heading_may_be_typed_in_many_ways(heading, parts_of):
    assert parts_of(f"{heading}\n\nformula: 2*x\n", "1b") == {"formula": ["2*x"]}


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("## 1a.2", "1a.ii"), ("## 1(d)(2)", "1d.ii"), ("# Question 1\n## (c)(2): x", "1c.ii"),
        ("## 1a (2 points)", ""), ("# 1a\n## 2", "2"),
    ],
)  # fmt: skip
def test_a_roman_number_may_be_an_arabic_one(heading, question):
    wanted = tuple(expected_parts(ask(name)) for name in ("1a.i", "1a.ii", "1c.ii", "1d.ii", "2"))
    answers = read_answers({"answers.md": f"{heading}\n\nwords\n".encode()}, wanted)
    assert [name for name, answer in answers.by_question.items() if answer.parts] == [question] * (
        question != ""
    )


def test_every_item_of_a_list_may_begin_an_answer():
    wanted = tuple(expected_parts(ask(name)) for name in ("a", "b", "d"))
    answers = read_answers({"answers.md": b"- **a** one\n- **b** two\n- **d** three\n"}, wanted)
    assert [answers.of(name).text("text") for name in ("a", "b", "d")] == ["one", "two", "three"]


@pytest.mark.parametrize("group", ["# c\n\n# i", "(c)\n\ni.", "**(c)**\n\n**i.**", "c part i:"])
def test_an_answer_below_the_letter_of_its_group_is_not_lost(group):
    wanted = (
        *(expected_parts(ask(name)) for name in ("a", "i")),
        expected_parts(ask("c.i", "formula")),
    )
    text = f"## a\n\nwhy\n\n{group}\n\nformula: q_i_pos^T k_j_pos\n"
    answer = read_answers({"answers.md": text.encode()}, wanted).of("c.i")
    assert answer.parts or answer.unplaced


@pytest.mark.parametrize(
    ("heading", "near"),
    [("## 1bb", "1b"), ("## 1b.ii", "1"), ("## 1d.iii", "1d.ii"), ("## Q3.3", "Q3.")],
)
def test_an_unknown_heading_is_told_with_the_nearest(heading, near, read):
    answers = read(f"## 1a.i\nwhy\n\n{heading}\nlost words\n")
    notes = [note for answer in answers.by_question.values() for note in answer.notes]
    assert any("line 4" in note and f"did you mean `{near}" in note for note in notes)
    assert [name for name, answer in answers.by_question.items() if answer.parts] == ["1a.i"]


def test_a_heading_that_could_be_two_questions_is_neither():
    wanted = tuple(expected_parts(ask(name)) for name in ("1.1", "2.1.1"))
    answers = read_answers({"answers.md": b"# 2\n\n## 1.1\n\nwhy\n"}, wanted)
    assert not any(answer.parts for answer in answers.by_question.values())
    assert "could mean `1.1` or `2.1.1`" in answers.of("1.1").notes[0]


@pytest.mark.parametrize("heading", ["# A note on my answers", "# Answers", "# Homework 4"])
def test_a_title_is_no_unknown_question(heading, read):
    answers = read(f"{heading}\n\nName: Ada\n\n## 1a.i\nwhy\n")
    assert not answers.notes
    assert list(answers.by_question) == ["1a.i"]


@pytest.mark.parametrize(
    "heading", ["## Q3.1: C", "### 3.1 (C)", "**Q3.1** C", "Q3.1: C", "3.1) C"]
)
def test_a_choice_may_stand_behind_its_number(heading, parts_of):
    assert parts_of(f"{heading}\n", "Q3.1")["choice"][0].strip("()") == "C"


@pytest.mark.parametrize(
    "text",
    [
        "Q3.1: C\nQ3.2: A, B\n2.1.1: [3, 2]\n",
        "- Q3.1) C\n- Q3.2) A, B\n- 2.1.1) [3, 2]\n",
        "# 3\n1. C\n2. A, B\n# 2.1\n1. [3, 2]\n",
        "**Q3.1** – C\n\n**Q3.2** – A, B\n\n**2.1.1** – [3, 2]\n",
    ],
)
def test_a_file_may_do_without_headings(text, parts_of):
    assert parts_of(text, "Q3.1") == {"choice": ["C"]}
    assert parts_of(text, "Q3.2") == {"choices": ["A, B"]}
    assert parts_of(text, "2.1.1") == {"vector": ["[3, 2]"]}


def test_a_heading_may_hold_the_value_and_the_body_the_text(read):
    answer = read("## 1b: 2*x\n\nIt is twice that.\n").of("1b")
    assert (answer.text("formula"), answer.text("text")) == ("2*x", "It is twice that.")
    assert not answer.notes


def test_a_title_behind_the_number_is_no_answer(parts_of):
    assert parts_of("## Q3.1: BERT input\nC\n", "Q3.1") == {"choice": ["C"]}
    assert parts_of("## Q3.1: Title of Q3.1\n\n## 1a.i\nwhy\n", "Q3.1") == {}


def test_a_line_names_only_a_question_that_has_no_heading(parts_of):
    text = "## 1d.ii\nfirst, as 1b: shows\n1a.i: second\n\nQ3.1: C\n"
    assert parts_of(text, "1d.ii") == {"text": ["first, as 1b: shows"]}
    assert parts_of(text, "1a.i") == {"text": ["second"]}
    assert parts_of(text, "Q3.1") == {"choice": ["C"]}
    assert parts_of("## 1d.ii\nwhy\n1a.i: is used\n## 1a.i\nso\n", "1a.i") == {"text": ["so"]}
    assert parts_of("Q3.1: C\n3.2 is what I skip here\n", "Q3.2") == {}


def test_sub_headings_and_code_belong_to_the_answer(read):
    text = "## 1d.ii\nfirst\n\n### Proof\n\n```\n# 1b\n## 1b\n```\n\n#### 2. step\nlast\n"
    answers = read(text)
    assert list(answers.by_question) == ["1d.ii"]
    assert answers.of("1d.ii").text("text").startswith("first")
    assert answers.of("1d.ii").text("text").endswith("last")


@pytest.mark.parametrize("heading", ["Qb:", "## Q(b)", "## Qb", "b)", "**b.**"])
def test_a_letter_may_follow_a_q(heading):
    wanted = tuple(expected_parts(ask(name)) for name in ("a", "b", "h"))
    answers = read_answers({"answers.md": f"# Homework\n\n{heading}\n\nwords\n".encode()}, wanted)
    assert [name for name, answer in answers.by_question.items() if answer.parts] == ["b"]


@pytest.mark.parametrize(
    ("heading", "choice"),
    [("h:", "(A) the first"), ("h)", "A) the first"), ("**h)**", "**A**, the first")],
)
def test_an_option_below_a_letter_is_no_earlier_question(heading, choice):
    wanted = (expected_parts(ask("a")), expected_parts(ask("h", "choice", ("choice",))))
    answers = read_answers({"answers.md": f"{heading}\n\n{choice}\n".encode()}, wanted)
    assert not answers.of("a").parts
    assert answers.of("h").text("choice").startswith(choice[:3])


def test_an_earlier_letter_below_an_answer_is_a_question():
    wanted = (expected_parts(ask("a")), expected_parts(ask("h", "choice", ("choice",))))
    answers = read_answers({"answers.md": b"h: B\n\na: words\n"}, wanted)
    assert answers.of("a").text("text") == "words"
    assert answers.of("h").text("choice") == "B"


GROUPED = tuple(
    expected_parts(question)
    for question in (
        ask("1.2.1", "vector", ("vector",), None),
        ask("1.2.2", "vector", ("vector",), None),
        ask("Q1.2"),
    )
)


@pytest.mark.parametrize("heading", ["# 1.2", "# Question 1.2: two queries"])
def test_the_number_of_a_group_is_not_a_question_with_a_q(heading):
    content = f"{heading}\n1. [1, 2, 3]\n2. [4, 5, 6]\n".encode()
    answers = read_answers({"answers.md": content}, GROUPED)
    assert answers.of("1.2.1").text("vector") == "[1, 2, 3]"
    assert answers.of("1.2.2").text("vector") == "[4, 5, 6]"


def test_text_below_the_number_of_a_group_may_answer_a_question_with_a_q():
    answers = read_answers({"answers.md": b"# 1.2\nThey save memory.\n"}, GROUPED)
    assert all("memory" in answers.of(wanted.id).unplaced for wanted in GROUPED)


def test_the_q_of_a_question_tells_it_from_a_group():
    answers = read_answers({"answers.md": b"# Q1.2\nThey save memory.\n"}, GROUPED)
    assert answers.of("Q1.2").text("text") == "They save memory."


@pytest.mark.parametrize(
    "text",
    [
        "# 2 Attention\n\n## 2.1 Argmax\n\n1. [3, 2]\n2. No gradient.",
        "# 2\n\n## 2.1\n\n### 1\n\n[3, 2]\n\n### 2\n\nNo gradient.",
        "# Question 2\n\n## 2.1\n\n### 2.1.1\n\n[3, 2]\n\n### 2.1.2\n\nNo gradient.",
    ],
)
def test_a_heading_may_repeat_the_number_above_it(text):
    """`# 2.1` below `# 2` is not 2.2.1."""
    kinds = {"2.1.1": "vector", "2.1.2": None, "2.2.1": "vector", "2.2.2": None}
    wanted = tuple(expected_parts(ask(name, kind, ("vector",))) for name, kind in kinds.items())
    answers = read_answers({"answers.md": text.encode()}, wanted)
    assert "[3, 2]" in answers.of("2.1.1").whole
    assert "No gradient" in answers.of("2.1.2").whole
    assert not answers.of("2.2.1").parts


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("# 3\n## 2.1\none\n## 2.2\ntwo\n## 2.3\nthree", ("3.2.1", "3.2.2", "3.2.3", "2.2.1")),
        ("# 1\n## c\n### i\none\n### 2\ntwo\n## e\nthree", ("1c.i", "1c.ii", "1e", "2.1", "2.2")),
    ],
)
def test_other_groups_leave_the_questions_of_their_own_alone(text, questions):
    """`### 2` below `## c` is no group 2, and `## 2.1` below `# 3` is 3.2.1."""
    wanted = tuple(expected_parts(ask(name)) for name in questions)
    answers = read_answers({"answers.md": text.encode()}, wanted)
    for name, word in zip(questions, ("one", "two", "three"), strict=False):
        assert word in answers.of(name).whole, name


@pytest.mark.parametrize(
    "text",
    [
        "1(b): formula: 2*x", "1 (b): formula: 2*x", "Question 1b\nformula: 2*x",
        "Question 1\n\n(b) formula: 2*x", "**Problem 1 (b).**\nformula: 2*x",
    ],
)  # fmt: skip
def test_a_question_may_be_named_without_a_heading(text, parts_of):
    assert parts_of(f"{text}\n", "1b") == {"formula": ["2*x"]}


def test_parts_may_be_named_in_brackets_before_a_colon():
    wanted = tuple(expected_parts(ask(name)) for name in ("1a.i", "1a.ii"))
    answers = read_answers({"answers.md": b"1(a)(i): one\n\n1(a)(ii): two\n"}, wanted)
    assert [answers.of(name).text("text") for name in ("1a.i", "1a.ii")] == ["one", "two"]


def test_the_only_letter_of_a_file_may_be_an_option():
    """`(A)` below a line that names h is its answer, and elsewhere not question a."""
    wanted = tuple(expected_parts(ask(name)) for name in ("a", "b"))
    wanted += (expected_parts(ask("h", "choice", ("choice",))),)
    text = "Question b\nwords\n\nQuestion h\n(A) The next word is the label.\n"
    answers = read_answers({"answers.md": text.encode()}, wanted)
    assert answers.of("b").text("text") == "words"
    assert answers.of("h").text("choice").startswith("(A)")
    assert not answers.of("a").parts
    unread = read_answers({"answers.md": b"Question x\n(A) The next word.\n"}, wanted)
    assert all(unread.of(name).unplaced for name in ("a", "b", "h"))


def test_a_numbered_point_beside_may_be_an_answer():
    wanted = tuple(expected_parts(ask(name)) for name in ("1.2.1", "1.2.2", "2.2"))
    answers = read_answers({"answers.md": b"## 1.2.1\n\n1. One\n2. Two\n"}, wanted)
    assert "Two" in answers.of("1.2.2").unplaced
    assert not answers.of("2.2").unplaced
