"""Answers by people who never saw the template."""

import pytest

from graders.written.question import Machine, Question, Review
from graders.written.reading.answers import read_answers
from graders.written.reading.wanted import wanted_of


def parts_of(body, kind="formula", parts=("formula",), text="text"):
    machine = Machine(1, kind, parts, "x", {}, (), "", "")
    review = Review(1, text, ()) if text else None
    wanted = (wanted_of(Question("1b", "A title", "A prompt.", machine, review)),)
    answer = read_answers({"answers.md": f"## 1b\n{body}\n".encode()}, wanted).of("1b")
    return {part: answer.text(part) for part in answer.parts}


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
    found = parts_of(body)
    assert found["formula"] == formula
    assert found["text"]


@pytest.mark.parametrize(
    "body",
    [
        *("Since k_i = a we see $x$ and $y$.", "It is the sum of both keys.", "half"),
        *(r"Let $q = \beta(k_a + k_b)$ for $\beta \gg 0$. Then it works.", "We take $c k_a$ here."),
    ],
)
def test_a_sentence_is_given_to_the_reader_of_formulas_and_to_a_person(body):
    assert parts_of(body) == {"formula": body.rstrip("."), "text": body}


@pytest.mark.parametrize("body", ["2d + 2 parameters", "2d + 2 trainable parameters.", "$2d+2$"])
def test_a_count_may_have_its_unit(body):
    assert parts_of(body, text=None)["formula"].replace(" ", "") == "2d+2"


@pytest.mark.parametrize(
    ("body", "parts", "values"),
    [
        ("$q_1 = a$, $q_2 = b$", ("q1", "q2"), "a b"),
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
        ("V = z\n\nK = x\n\nQ = y", ("K", "Q", "V"), "x y z"),
    ],
)
def test_parts_are_called_many_names(body, parts, values):
    found = parts_of(body, parts=parts, text=None)
    assert set(found) == set(parts)
    if values is not None:
        assert [found[part] for part in parts] == values.split()


def test_what_is_struck_out_is_not_answered():
    assert parts_of("~~2*k_a~~ 3*k_a", text=None) == {"formula": "3*k_a"}


@pytest.mark.parametrize("kind", ["choice", "true_false"])
@pytest.mark.parametrize(
    "body", ["(b) False. Positions are kept.", "The statement is false because of positions."]
)
def test_a_choice_in_a_sentence_is_read_and_kept_as_reason(kind, body):
    assert parts_of(body, kind, ("answer",)) == {"answer": body, "text": body}


@pytest.mark.parametrize("body", ["B", "(B)", "b.", "answer: B", "**B**", "Ans: B"])
def test_a_choice_alone_gives_no_reason(body):
    found = parts_of(body, "choice", ("answer",))
    assert found.keys() == {"answer"}
    assert found["answer"].strip("().").upper() == "B"
