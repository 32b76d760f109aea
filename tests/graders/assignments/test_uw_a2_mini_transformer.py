"""How the checks of the mini transformer share points and grade odd submissions."""

import contextlib
import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from graders.assignments.uw_a2.mini_transformer import checks, checks_attention
from graders.assignments.uw_a2.mini_transformer.expected import Attention
from graders.assignments.uw_a2.mini_transformer.functions import Judge
from graders.assignments.uw_a2.mini_transformer.mistakes import ATTENTIONS
from graders.assignments.uw_a2.mini_transformer.questions import Draws
from graders.boundary.tiers.sandbox import best_tier
from graders.checks.compare import CheckFailed
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.errors import StudentFault
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import load_assignment
from submissions.receive import identify
from tests.graders.assignments.answering import Replies, ask, passing
from tests.planted import examples_of

FILES = (checks, checks_attention)
CHECKS = {
    name: check for file in FILES for name, check in vars(file).items() if name.startswith("test_")
}
FUSED = """
def self_attention(Q, K, V, n_heads=1, causal=True):
    heads = [torch.stack(x.chunk(n_heads, -1), 1) for x in (Q, K, V)]
    y = F.scaled_dot_product_attention(*heads, is_causal=causal)
    return torch.cat(y.unbind(1), -1)
"""
CACHED = """
MASK = None
def self_attention(Q, K, V, n_heads=1, causal=True):
    global MASK
    if MASK is None:
        MASK = make_causal_mask(Q.shape[1]) if causal else None
    q, k, v = split_heads_qkv(Q, K, V, n_heads)
    A = attn_scaled(pairwise_similarities(q, k), Q.shape[-1], n_heads)
    A = A if MASK is None else apply_causal_mask(A, MASK)
    return merge_heads(compute_outputs(attn_softmax(A), v))
"""


def example(name):
    return examples_of("uw-a2") / name


def right():
    return (example("right-mini-starter-split") / "A2S2.py").read_text()


def helpers():
    return right().partition("def self_attention")[0]


@pytest.fixture(scope="module")
def grade(tmp_path_factory):
    """Grades a folder, or a text as A2S2.py, on the mini transformer alone."""
    assignment = replace(load_assignment("uw-a2"), preload=())  # transformers is not asked for

    def run(work, draw=0):
        if isinstance(work, str):
            folder = tmp_path_factory.mktemp("uploads") / "one"
            folder.mkdir()
            (folder / "A2S2.py").write_text(work)
            work = folder
        options = Options(tier=best_tier(), only=frozenset({"mini-transformer"}), inputs_seed=draw)
        return grade_submission(identify(work, "uw-a2"), assignment, options)

    return run


def lost(result) -> dict[str, float]:
    """The share of each check that is lost."""
    return {
        check.id: 1 - check.fraction
        for check in result.criteria[0].checks
        if check.fraction < 1 and check.weight
    }


def said_of(result, name: str) -> str:
    """The message of one check."""
    return next(check.message for check in result.criteria[0].checks if check.id == name)


def test_notebook_and_script_get_the_same_result(grade):
    notebook, script = (grade(example(f"right-mini-{kind}")) for kind in ("notebook", "script"))
    seen = [
        [
            (check.id, check.status, check.fraction, check.message.replace(".ipynb", ".py"))
            for check in result.criteria[0].checks
        ]
        for result in (notebook, script)
    ]
    assert seen[0] == seen[1]
    assert notebook.score == script.score == 18


@pytest.mark.slow
@pytest.mark.parametrize(("name", "draw"), [("loops", 1), ("einsum", 2), ("einsum", 3)])
def test_right_code_keeps_its_points_whatever_is_drawn(grade, name, draw):
    assert lost(grade(example(f"right-mini-{name}"), draw)) == {}


def test_right_attention_alone_keeps_its_own_points(grade):
    result = grade(FUSED)
    assert result.score == 7
    assert not any("attention" in check for check in lost(result))


def test_wrong_attention_leaves_the_functions_their_points(grade):
    assert grade(helpers()).score == 11


def test_self_attention_of_wrong_functions_keeps_its_composition(grade):
    result = grade(right().replace("A, -1)", "A, -2)"))
    assert "attn-softmax" in lost(result)
    assert "self-attention-composition" not in lost(result)


def test_mask_kept_from_an_earlier_call_is_seen(grade):
    result = grade(helpers() + CACHED)
    assert "same-answer-again" in lost(result) or "self-attention-one-head" in lost(result)
    assert result.score < 17


def test_code_for_float32_alone_is_told_and_loses_nothing(grade):
    text = right().replace(
        "return A.matmul(V)",
        "return torch.matmul(A, V, out=torch.zeros(A.shape[:-1] + V.shape[-1:]))",
    )
    result = grade(text)
    assert "Your code raises for float64 inputs" in said_of(result, "compute-outputs")
    assert result.score == 18


def test_functions_for_three_axes_alone_are_enough_head_by_head(grade):
    result = grade(example("right-mini-loops"))
    assert "does not accept (B, n_heads, T, ...)" in said_of(result, "pairwise-similarities")
    assert result.score == 18


def test_functions_that_attention_does_without_may_take_three_axes_alone(grade):
    text = helpers().replace("K.transpose(-1, -2)", "K.transpose(1, 2)") + FUSED
    result = grade(text)
    assert "Your self_attention never passes that shape" in said_of(result, "pairwise-similarities")
    assert result.score == 18


def test_functions_for_three_axes_alone_are_not_enough_where_heads_are_split(grade):
    result = grade(right().replace("K.transpose(-1, -2)", "K.transpose(1, 2)"))
    assert "pairwise-similarities" in lost(result)


def test_einops_and_compiled_functions_are_taken(grade):
    text = (
        right()
        .replace("def self_attention", "@torch.compile\ndef self_attention")
        .replace(
            "return x.reshape(*x.shape[:2], n_heads, x.shape[2] // n_heads).transpose(1, 2)",
            "return rearrange(x, 'b t (h c) -> b h t c', h=n_heads)",
        )
    )
    assert grade("from einops import rearrange\n" + text).score == 18


def test_mask_written_into_the_scores_is_right(grade):
    text = right().replace("return A.masked_fill(", "A.masked_fill_(")
    result = grade(text.replace("A = apply_causal_mask(", "apply_causal_mask("))
    assert result.score == 18


def test_gradients_that_reach_some_inputs_only_are_told_and_cost_points(grade):
    result = grade(right().replace("return A.matmul(V)", "return A.detach().matmul(V)"))
    assert "some of Q, K and V, but not Q, K" in said_of(result, "inputs-are-kept")
    assert result.score == 17.5
    assert "gradient" not in said_of(grade(right()), "self-attention-is-written")


def test_attention_without_gradients_costs_nothing(grade):
    result = grade(right().replace("def self_attention", "@torch.no_grad()\ndef self_attention"))
    assert "No gradient reaches Q, K, V." in said_of(result, "self-attention-is-written")
    assert result.score == 18


def test_missing_function_is_named_with_the_files_that_were_looked_at(grade):
    message = said_of(grade(example("wrong-mini-function-missing")), "merge-heads")
    assert "`merge_heads`" in message
    assert "A2S2.py" in message


def test_every_known_mistake_gives_answers_of_its_own():
    right, draws = Attention(), Draws(Inputs(), "own answers")
    questions = [
        question
        for causal in (False, True)
        for question in draws.questions(heads=True, causal=causal)
    ]
    with np.errstate(all="ignore"):
        answers = {
            mistake.id: [attention(q) for q in questions]
            for mistake, attention in ATTENTIONS.items()
        }
        answers["right"] = [right(q) for q in questions]
    for one, other in itertools.combinations(answers, 2):
        pairs = zip(answers[one], answers[other], strict=True)
        assert not all(np.allclose(a, b, atol=1e-3, equal_nan=True) for a, b in pairs), (one, other)


HOSTILE = {  # the readers take these as answers
    "empty": {},
    "nones": {"result": None, "after": None, "masked": [], "weights": 0, "heads": "x"},
    "integers": np.zeros((2, 2), np.int64),
    "nan": np.full((), np.nan),
}


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
def test_hostile_answer_is_the_student_s_fault(answer):
    def reply(values):
        return [{"answer": answer} for _ in values.get("calls", ())]

    calls = {name: partial(run, name, reply) for name in CHECKS}
    assert passing((CheckFailed, StudentFault), calls) == []


@pytest.mark.parametrize("counts", [None, [3, [4], np.ones(3), "4"], [4.0, True], {}])
def test_odd_counts_of_axes_break_nothing(counts):
    def answer(values):
        if "calls" in values and len(values["calls"][0]) == 5:
            return counts
        if values["calls"][0][0].ndim == 4:
            return [{"answer": np.zeros(3)} for _ in values["calls"]]
        return [{"answer": q @ k.swapaxes(-1, -2)} for q, k in values["calls"]]

    with contextlib.suppress(CheckFailed):
        run("test_pairwise_similarities", answer)


@pytest.mark.parametrize("number", [3e38, np.nan, np.inf])
def test_odd_numbers_break_nothing(number):
    def answer(values):
        if "calls" not in values:
            return [number] * 3
        outputs = [np.full_like(call[0], number) for call in values["calls"]]
        if "function" in values:
            return [{"answer": output} for output in outputs]
        names = ("result", "masked", "weights", "heads", "merged")
        pairs = zip(outputs, values["calls"], strict=True)
        return [{"answer": {**dict.fromkeys(names, out), "after": call[:3]}} for out, call in pairs]

    for name in [check for check in CHECKS if "found" not in check]:
        with contextlib.suppress(CheckFailed, StudentFault):
            run(name, answer)


def run(name, value):
    """One check, on a student who answers with this value."""
    student, score, inputs = Replies(value), Score(), Inputs()
    asker, judge = checks_attention.Asker(student, score, inputs), Judge(student, score, inputs)
    ask(CHECKS[name], student=student, score=score, inputs=inputs, asker=asker, judge=judge)
