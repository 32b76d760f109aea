"""Code of the experiments, as far as it is found by its names; advice, without points."""

from typing import Any

import numpy as np
import pytest
from a2_attention import Floats, merge
from a2_mini_replies import as_floats, bad_reply, first_difference, same, sentence
from a2_positions import MISTAKES, PAIRED, half_split, sinusoidal

from graders.boundary.outcome import clean
from graders.boundary.student import Student
from graders.checks.compare import fail, is_close, skip
from graders.checks.inputs import Inputs
from graders.checks.mistakes import first_match
from graders.checks.score import Score

ADVICE = "This is advice; it costs no points."
NO_TABLE = "No function or module was found that gives a table of positions: nothing to judge."
NO_FUSION = "No variant of merging heads was found by its name: nothing to judge."


def _tables(student: Student, score: Score, inputs: Inputs) -> dict[str, Floats]:
    """The tables of positions that were found; the check is skipped where there is none."""
    draw = inputs.random("positions")
    n_tok, n_embd = draw.randrange(21, 60, 2), 2 * draw.randrange(5, 24)
    named = student.call("positional_tables", n_tok=n_tok, n_embd=n_embd, read=_named)
    tables = {name: each["table"] for name, each in named.items() if "table" in each}
    found = {name: as_floats(each) for name, each in tables.items()}
    fitting = {n: t for n, t in found.items() if t is not None and t.shape == (n_tok, n_embd)}
    if not fitting:
        skip(NO_TABLE)
    score.note(ADVICE)
    return fitting


def _named(reply: Any) -> dict[str, dict[str, Any]]:
    """The parts of a reply by the name of what was asked."""
    if not isinstance(reply, list) or not all(isinstance(each, dict) for each in reply):
        bad_reply()
    return {clean(str(each.get("name", "")))[:80]: each for each in reply[:20]}


@pytest.mark.criterion("experiments")
def test_sinusoidal_values(student, score, inputs):
    """The table of positions holds sin and cos of t / 10000^(2i/n_embd) in pairs of columns."""
    for name, table in _tables(student, score, inputs).items():
        if is_close(table, sinusoidal(*table.shape), "trigonometric"):
            continue
        if is_close(table, half_split(*table.shape), "trigonometric"):
            score.note(f"{name} puts all sin before all cos: another order, equally good.")
            continue
        wrong = {each: variant(*table.shape) for each, variant in MISTAKES.items()}
        mistake = first_match(table, wrong, "trigonometric")
        fail(
            f"{name} does not give the sinusoidal positions of the paper.",
            hint=mistake.hint if mistake else sentence(PAIRED),
            actual=first_difference(table, sinusoidal(*table.shape)),
        )


@pytest.mark.criterion("experiments")
def test_sinusoidal_norm(student, score, inputs):
    """Every row of the table of positions has the squared norm n_embd / 2."""
    for name, table in _tables(student, score, inputs).items():
        norms = (table**2).sum(axis=1)
        if not is_close(norms, np.full(len(norms), table.shape[1] / 2), "attention"):
            fail(
                f"The rows of {name} differ in their norm.",
                hint="sin² + cos² = 1 for each pair of columns that shares its angle.",
                expected=f"{table.shape[1] / 2:g}",
                actual=f"{norms.min():.6g} to {norms.max():.6g}",
            )


@pytest.mark.criterion("experiments")
def test_sinusoidal_shift(student, score, inputs):
    """The product of two rows of the table of positions depends on their distance alone."""
    for name, table in _tables(student, score, inputs).items():
        products = table @ table.T
        if not is_close(products[1:, 1:], products[:-1, :-1], "attention"):
            fail(
                f"Products of rows of {name} depend on more than the distance of the positions.",
                hint="cos(a)cos(b) + sin(a)sin(b) = cos(a - b) needs one angle for each pair.",
            )


def _fusions(student: Student, score: Score, y: Floats) -> dict[str, dict[str, Any]]:
    """The variants of merging heads that were found; skipped where there is none."""
    found = student.call("head_fusions", y=y, read=_named)
    fitting = {
        name: each for name, each in found.items() if as_floats(each.get("whole")) is not None
    }
    if not fitting:
        skip(NO_FUSION)
    score.note(ADVICE)
    return fitting


def _y(inputs: Inputs) -> Floats:
    return inputs.generator("fusion").standard_normal((3, 4, 5, 6)).astype(np.float32)


def _arrays(values: Any) -> list[Floats]:
    found = [as_floats(each) for each in values] if isinstance(values, list) else [None]
    if not found or any(each is None or each.ndim == 0 for each in found):
        bad_reply()
    return [each for each in found if each is not None]


@pytest.mark.criterion("experiments")
def test_fusion_is_repeatable(student, score, inputs):
    """A variant of merging heads gives the same twice, so that its evaluation can be repeated."""
    for name, fusion in _fusions(student, score, _y(inputs)).items():
        if not _is_repeated(_arrays(fusion.get("again"))):
            fail(
                f"{name} gives another answer each time it is asked.",
                hint="A permutation drawn at each call is drawn at evaluation, too, so that "
                "perplexities change from run to run: draw it once, or in training alone.",
            )


@pytest.mark.criterion("experiments")
def test_fusion_treats_items_alone(student, score, inputs):
    """A variant of merging heads makes the same of an item, whatever else is in the batch."""
    for name, fusion in _fusions(student, score, _y(inputs)).items():
        again, alone = (_arrays(fusion.get(each)) for each in ("again", "alone"))
        if not _is_repeated(again):
            continue  # what is drawn anew is told by the check above
        if len({each.shape for each in alone}) != 1 or not same(np.concatenate(alone), again[0]):
            fail(
                f"{name} gives an item another output alone than in a batch.",
                hint="Are weights normalised over the batch (dim=0) instead of the heads (dim=1)? "
                "With 32 items each weight is about 1/32, with one it is 1: outputs grow 32-fold "
                "at evaluation, and perplexity with them.",
            )


@pytest.mark.criterion("experiments")
def test_fusion_changes_the_model(student, score, inputs):
    """A variant of merging heads lets the model compute something that it could not before."""
    y = _y(inputs)
    for name, fusion in _fusions(student, score, y).items():
        again = _arrays(fusion.get("again"))
        if _is_repeated(again) and _is_renumbering(merge(y), again[0]):
            score.note(
                f"{name} only renumbers the features of a token. The projection behind it can "
                "renumber its columns: the same class of functions, so no difference is expected."
            )


def _is_repeated(again: list[Floats]) -> bool:
    return all(same(each, again[0]) for each in again)


def _is_renumbering(plain: Floats, came: Floats) -> bool:
    """Whether every token has its features in another order, the same for all tokens."""
    if came.shape != plain.shape:
        return False
    order = [
        int(np.abs(plain - came[..., [i]]).sum(axis=(0, 1)).argmin()) for i in range(came.shape[-1])
    ]
    moved = order != sorted(order)
    return (
        moved and len(set(order)) == len(order) and same(came, plain[..., order].astype(np.float64))
    )
