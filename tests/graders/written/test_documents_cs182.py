"""Document 002's answers, typed in our notation, get the scores that they deserve."""

import pytest

from graders.boundary.tiers.sandbox import Tier
from graders.grading.pipeline import Options, grade_submission
from graders.registry.discovery import load_assignment
from submissions.receive import identify

PRINTED = r"""
## a
Attention is symmetric in its inputs, and translation needs the order.

## b
add: $(x_1 + p_1) \cdot (x_2 + p_2) = x_1 \cdot x_2 + x_1 \cdot p_2 + p_1 \cdot x_2 + p_1 \cdot p_2$
concat: $[x_1, p_1] \cdot [x_2, p_2] = x_1 \cdot x_2 + p_1 \cdot p_2$
text: No mixed products when concatenated.

## c.i
$\pi_{i,j} = q_i^{(\text{pos})} k_j^{(\text{pos})}$

## c.ii
$(2 \cdot (T - 1) + 1) \cdot m$

## d
Several places at once, such as subjects and objects.

## e
one_head: $2^n$
two_heads: $3^n$
k_heads: $(k + 1)^n$

## f
encoder_self: $\mathcal{O}(M^2k)$
cross: $\mathcal{O}(MNk)$
decoder_self: $\mathcal{O}(N^2k)$

## g
False. The position stays, otherwise all masked tokens look the same.

## h
The text makes its own labels.

## i
- to sum up an article: Seq-to-seq
- what reviews of restaurants feel: Encoder Model
- which pages a web search should show: Encoder Model
- from one language into another: Seq-to-Seq
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Grades answers of cs182-transformers; the checks by id."""
    folder, assignment = tmp_path_factory.mktemp("answers"), load_assignment("cs182-transformers")

    def grade(answers, *only):
        (folder / "answers.md").write_text(answers)
        options = Options(Tier.NONE, only=frozenset(only) or None)
        result = grade_submission(identify(folder, assignment.name), assignment, options)
        return {each.check.id: each for each in sum((c.checks for c in result.criteria), ())}

    return grade


@pytest.fixture(scope="module")
def printed(graded):
    return graded(PRINTED)


@pytest.mark.parametrize("question", ["b", "c.i", "c.ii", "e", "f", "g", "i"])
def test_printed_answers_are_right(printed, question):
    found = printed[f"{question}/machine"]
    assert found.fraction == 1, found.message


def test_who_is_right_must_be_said(printed):
    """The document explains and names nobody."""
    assert printed["h/machine"].fraction == 0
    assert printed["h/review"].status == "needs_review"


def test_every_printed_text_waits_for_a_person(printed):
    texts = {name: each.status for name, each in printed.items() if name.endswith("/review")}
    assert texts == dict.fromkeys(
        ["a/review", "b/review", "d/review", "g/review", "h/review"], "needs_review"
    )


@pytest.mark.parametrize(
    "answer",
    [
        "min(T, 2^n)",
        r"\min(T, 2^n)",
        "2**n",
    ],
)
def test_a_field_may_be_capped_by_the_context(graded, answer):
    """The document does not say that a field ends with the sequence."""
    parts = f"one_head: {answer}\ntwo_heads: 3^n\nk_heads: (k+1)^n"
    assert graded(f"## e\n{parts}\n", "e")["e/machine"].fraction == 1


@pytest.mark.parametrize("cost", ["O(M^2 k + M k^2)", "M^2 k", r"\Theta(k M^2)", "O(k*M**2)"])
def test_projections_may_be_counted(graded, cost):
    """The document leaves the projections out."""
    parts = f"encoder_self: {cost}\ncross: O(MNk)\ndecoder_self: O(N^2 k)"
    assert graded(f"## f\n{parts}\n", "f")["f/machine"].fraction == 1


@pytest.mark.parametrize("count", ["(2(T-1)+1)*m*L", "2Tm - m", "m(2T-1) per layer"])
def test_the_count_may_name_its_layers(graded, count):
    assert graded(f"## c.ii\n{count}\n", "c.ii")["c.ii/machine"].fraction == 1
