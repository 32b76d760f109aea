"""The parts of an answer in answers.md are divided as a reader would divide them."""

import json

import pytest

from graders.written.reading.answers import read_answers
from graders.written.reading.question_parts import expected_parts
from tests.graders.written.conftest import ask

TABLE = "| lr | dev |\n|---|---|\n| 1 | 2 |"


def answer_to(body, kind="formula", parts=("formula",), text="text"):
    wanted = (expected_parts(ask("1b", kind, parts, text)),)
    return read_answers({"answers.md": f"## 1b\n{body}\n".encode()}, wanted).of("1b")


def divided(*arguments, **more):
    """The first value of each part of an answer to a question of this kind."""
    answer = answer_to(*arguments, **more)
    return {part: answer.text(part) for part in answer.parts}


@pytest.mark.parametrize(
    "body",
    [
        "formula: 2*x\ntext: why",
        "**formula:** 2*x\n\n**text:** why",
        "**Formula**: 2*x\n**Text**: why",
        "- formula: 2*x\n- text: why",
        "### formula\n\n2*x\n\n### text\n\nwhy",
        "formula: $2*x$\nexplanation: why",
        "formula:\n```\n2*x\n```\ntext:\nwhy",
        "formula: `2*x`\nReason: why",
        "answer: \\(2*x\\)\nProof: why",
        "2*x\ntext: why",
        "2*x\nwhy",
        "why\n\n2*x",
        "> formula: 2*x\n>\n> text: why",
        "formula: $\\boxed{2*x}$\n\nwhy",
        "formula:\u200b 2*x\ntext: why\ufeff",
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
        "$$q_{1} = a$$\n$$q_{2} = b$$",
        "**q1** = a\n**q2** = b",
        "### q1\na\n### q2\nb",
        "1. a\n2. b",
    ],
)
def test_two_heads_may_be_named_in_many_ways(body, parts_of):
    assert parts_of(f"## 1d.i\n{body}\n", "1d.i") == {"q1": ["a"], "q2": ["b"]}


@pytest.mark.parametrize(
    ("answer", "value"),
    [
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
    parts = parts_of(f"## 1b\nformula: 2*x{tail}\ntext: why\n", "1b")
    assert parts["formula"] == ["2*x"]
    assert parts["text"][0].endswith("why")


def test_a_guessed_division_and_a_part_nearly_named_are_told(read):
    answers = read("## 1b\n2*x\n\nIt is twice that.\n")
    assert "line 2 was read as `formula` and the rest as `text`" in answers.of("1b").notes[0]
    answers = read("## 1b\nfromula: 2*x\ntext: why\n")
    assert any("`fromula` in line 2" in note for note in answers.of("1b").notes)


def test_an_explanation_that_names_a_part_answers_nothing_anew(parts_of):
    body = "answer: True\ntext: It holds.\n- answer: is what I mean\n"
    assert parts_of(f"## g\n{body}", "g")["answer"] == ["True"]


@pytest.mark.parametrize(
    ("body", "formula"),
    [
        (r"$$ q = c k_a, \quad c \gg 0 $$" + "\nSince $k_i$ is a key.", "q = c k_a"),
        ("scale * (k_a + k_b)\nbecause it is large", "scale * (k_a + k_b)"),
        ("**Answer:** β(k_a+k_b), β → ∞\n\nIt works.", "β(k_a+k_b)"),
        ("q = 2*k_a.\n\nIt works.", "q = 2*k_a"),
    ],
)
def test_a_formula_is_found_among_words(body, formula):
    texts = divided(body)
    assert texts["formula"] == formula
    assert texts["text"]


@pytest.mark.parametrize(
    "body",
    [
        "Since k_i = a we see $x$ and $y$.", "It is the sum of both keys.", "half",
        r"Let $q = \beta(k_a + k_b)$ for $\beta \gg 0$. Then it works.", "We take $c k_a$ here.",
    ],
)  # fmt: skip
def test_a_sentence_is_given_to_the_reader_of_formulas_and_to_a_person(body):
    assert divided(body) == {"formula": body.rstrip("."), "text": body}


@pytest.mark.parametrize("body", ["2d + 2 parameters", "2d + 2 trainable parameters.", "$2d+2$"])
def test_a_count_may_have_its_unit(body):
    assert divided(body, text=None)["formula"].replace(" ", "") == "2d+2"


@pytest.mark.parametrize(
    ("body", "parts", "values"),
    [
        ("q1 = a and q2 = b", ("q1", "q2"), "a b"),
        ("$q_1 = a, q_2 = b$", ("q1", "q2"), None),
        ("**q1** = a，**q2** = b", ("q1", "q2"), "a b"),
        ("We let $q_1 = a$ and $q_2 = b$", ("q1", "q2"), "a b"),
        ("q₁ = a; q₂ = b", ("q1", "q2"), "a b"),
        ("| q1 | a |\n|---|---|\n| q2 | b |", ("q1", "q2"), "a b"),
        ("| q1 | q2 |\n|---|---|\n| a | b |", ("q1", "q2"), "a b"),
        ("q1 → a\nq2 → b", ("q1", "q2"), "a b"),
        ("x, y, f(z,z)", ("one_head", "two_heads", "k_heads"), "x y f(z,z)"),
        ("Adding: x\nConcatenation: y", ("add", "concat"), "x y"),
        ("1 head: x\n2 heads: y\nk heads: z", ("one_head", "two_heads", "k_heads"), "x y z"),
        ("- Encoder self-attention: x\n- Cross attention: y", ("encoder_self", "cross"), "x y"),
        ("Keys: x\nQueries: y\nValues: z", ("K", "Q", "V"), "x y z"),
    ],
)
def test_parts_are_called_many_names(body, parts, values):
    texts = divided(body, parts=parts, text=None)
    assert set(texts) == set(parts)
    if values is not None:
        assert [texts[part] for part in parts] == values.split()


def test_what_is_struck_out_is_not_answered():
    assert divided("~~2*k_a~~ 3*k_a", text=None) == {"formula": "3*k_a"}


@pytest.mark.parametrize("kind", ["choice", "true_false"])
@pytest.mark.parametrize(
    "body", ["(b) False. Positions are kept.", "The statement is false because of positions."]
)
def test_a_choice_in_a_sentence_is_read_and_kept_as_reason(kind, body):
    assert divided(body, kind, ("answer",)) == {"answer": body, "text": body}


@pytest.mark.parametrize("body", ["B", "(B)", "b.", "answer: B", "**B**", "Ans: B"])
def test_a_choice_alone_gives_no_reason(body):
    texts = divided(body, "choice", ("answer",))
    assert texts.keys() == {"answer"}
    assert texts["answer"].strip("().").upper() == "B"


@pytest.mark.parametrize(
    "line",
    [
        "6,920, 872 and 1,821",
        "6920/872/1821",
        "(6920, 872, 1821)",
        "6920 872 1821",
        "Train 6920, validation 872, test 1821",
        "Train: 6920, Val: 872, Test: 1821",
        "train: 6920\ndev set: 872\ntesting: 1821",
    ],
)
def test_several_numbers_are_told_apart(line):
    texts = divided(line, "number", ("train", "validation", "test"), text=None)
    assert texts == {"train": "6920", "validation": "872", "test": "1821"}


def test_a_formula_is_taken_from_its_words_but_not_chosen_from_two():
    words = "Two classes, each with a bias.\n\n2d + 2"
    for body, count in ((words, "2d + 2"), ("2d\n\n2d + 2", "2d\n\n2d + 2")):
        assert divided(body, "formula", ("count",), text=None) == {"count": count}


def test_a_vector_in_a_sentence_is_read_and_the_reason_behind_one_is_text():
    body = "The scores are 3, 1, 1, -3, so it returns [3, 2, -4]."
    assert divided(body, "vector", ("vector",)) == {"vector": body, "text": body}
    texts = divided("[1, 2, 3] because they are equal", "vector", ("vector",))
    assert texts == {"vector": "[1, 2, 3]", "text": "because they are equal"}


@pytest.mark.parametrize("body", [f"{TABLE}\n\nchosen: 1", f"runs:\n{TABLE}\n\nchosen: 1"])
def test_words_below_a_table_belong_to_it_and_to_the_text(body):
    texts = divided(body, "table", ("runs",))
    assert TABLE in texts["runs"]
    assert "chosen: 1" in texts["runs"]
    assert "chosen: 1" in texts["text"]


def test_table_without_a_name_goes_to_the_part_that_lacks_one():
    body = f"train_epoch: 8\nvalidation epoch: 1\n\n{TABLE}"
    texts = divided(body, "table", ("train_epoch", "dev_epoch", "curve"), text=None)
    assert texts["curve"] == TABLE


def test_a_definition_stays_with_its_formula():
    body = "S*x, where S = 1000"
    assert divided(body, "formula", ("formula",))["formula"] == body


@pytest.mark.parametrize("kind", ["formula", "vector"])
def test_an_empty_value_is_looked_for_in_the_text(kind):
    body = "formula:\ntext: We take q = [3, 2] * 1."
    texts = divided(body, kind, ("formula",))
    assert texts["formula"].startswith("We take q =")


def test_a_text_without_any_formula_leaves_the_value_empty():
    body = "formula:\ntext: because the keys are orthogonal"
    assert set(divided(body, "formula", ("formula",))) == {"text"}


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("(q1, q2) = (a, b)", True), ("Both queries are large.", True),
        ("first a\nthen b\nand c", True), ("", False), ("TODO", False),
        ("I don't know", False), ("q1: a\nq2: b", False),
    ],
)  # fmt: skip
def test_what_names_no_part_is_kept_for_a_person(body, kept):
    unplaced = answer_to(body, parts=("q1", "q2"), text=None).unplaced
    assert unplaced == (body if kept else "")


@pytest.mark.parametrize("body", ["q1 and q2: a", "q1, q2: a", "q1, q2: a\ntext: why"])
def test_a_name_before_another_one_may_mean_both(body):
    answer = answer_to(body, parts=("q1", "q2"))
    assert (answer.unplaced, answer.text("q2")) == ("q1", "a")


def test_the_cells_of_a_notebook_are_read(parts_of, read):
    cells = [("markdown", ["## 1b\n", "2*x"]), ("code", "print(1)"), ("markdown", "## Q3.1\nC")]
    book = {"cells": [{"cell_type": kind, "source": source} for kind, source in cells]}
    assert parts_of(json.dumps(book), "1b")["formula"] == ["2*x"]
    assert parts_of(json.dumps(book), "Q3.1")["choice"] == ["C"]
    for other in ({"cells": 3}, {"cells": [3]}, {"cells": [{"source": [1]}]}, {}):
        assert not read(json.dumps(other)).of("1b").parts
