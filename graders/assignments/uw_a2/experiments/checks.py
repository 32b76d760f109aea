"""Code of the experiments, if it can be found by name; advice, without points."""

from typing import Any

import numpy as np
import pytest

from graders.boundary.outcome import clean
from graders.boundary.student import Student
from graders.checks.compare import as_floats, fail, is_close, skip
from graders.checks.inputs import Inputs
from graders.checks.mistakes import first_match, sentence
from graders.checks.score import Score

from ..mini_transformer.expected import Floats, merge
from ..mini_transformer.replies import bad_reply, first_difference, same
from .expected import MISTAKES, PAIRED, half_split, sinusoidal

ADVICE = "This is advice; it costs no points."
NO_TABLE = "No function or module that returns a positional table was found by name."
NO_FUSION = "No variant of merging heads was found by name."


def _tables(student: Student, score: Score, inputs: Inputs) -> dict[str, Floats]:
    """Return the positional tables that were found; skip the check if there is none."""
    draw = inputs.random("positions")
    n_tok, n_embd = draw.randrange(21, 60, 2), 2 * draw.randrange(5, 24)
    named = student.call("positional_tables", n_tok=n_tok, n_embd=n_embd, read=_named)
    tables = {name: entry["table"] for name, entry in named.items() if "table" in entry}
    arrays = {name: as_floats(table) for name, table in tables.items()}
    fitting = {n: t for n, t in arrays.items() if t is not None and t.shape == (n_tok, n_embd)}
    if not fitting:
        skip(NO_TABLE)
    score.note(ADVICE)
    return fitting


def _named(reply: Any) -> dict[str, dict[str, Any]]:
    """Return the parts of a reply by name."""
    if not isinstance(reply, list) or not all(isinstance(part, dict) for part in reply):
        bad_reply()
    return {clean(str(part.get("name", "")))[:80]: part for part in reply[:20]}


@pytest.mark.criterion("experiments")
def test_sinusoidal_values(student: Student, score: Score, inputs: Inputs) -> None:
    """The positional table has sin and cos of t / 10000^(2i/n_embd) in pairs of columns."""
    for name, table in _tables(student, score, inputs).items():
        if is_close(table, sinusoidal(*table.shape), "trigonometric"):
            continue
        if is_close(table, half_split(*table.shape), "trigonometric"):
            score.note(f"{name} puts all sin before all cos. This order works as well.")
            continue
        wrong = {mistake: variant(*table.shape) for mistake, variant in MISTAKES.items()}
        mistake = first_match(table, wrong, "trigonometric")
        fail(
            f"{name} does not return the sinusoidal positions of the paper.",
            hint=mistake.hint if mistake else sentence(PAIRED),
            actual=first_difference(table, sinusoidal(*table.shape)),
        )


@pytest.mark.criterion("experiments")
def test_sinusoidal_norm(student: Student, score: Score, inputs: Inputs) -> None:
    """Every row of the positional table has the squared norm n_embd / 2."""
    for name, table in _tables(student, score, inputs).items():
        norms = (table**2).sum(axis=1)
        if not is_close(norms, np.full(len(norms), table.shape[1] / 2), "attention"):
            fail(
                f"The rows of {name} have different norms.",
                hint="sin² + cos² = 1 for each pair of columns, if both use the same angle.",
                expected=f"{table.shape[1] / 2:g}",
                actual=f"{norms.min():.6g} to {norms.max():.6g}",
            )


@pytest.mark.criterion("experiments")
def test_sinusoidal_shift(student: Student, score: Score, inputs: Inputs) -> None:
    """The dot product of two rows of the positional table depends only on their distance."""
    for name, table in _tables(student, score, inputs).items():
        products = table @ table.T
        if not is_close(products[1:, 1:], products[:-1, :-1], "attention"):
            fail(
                f"Dot products of rows of {name} depend on more than the positions' distance.",
                hint="cos(a)cos(b) + sin(a)sin(b) = cos(a - b) needs the same angle in each pair.",
            )


def _fusions(student: Student, score: Score, y: Floats) -> dict[str, dict[str, Any]]:
    """Return the variants of merging heads that were found; skip the check if there is none."""
    fusions = student.call("head_fusions", y=y, read=_named)
    fitting = {
        name: fusion
        for name, fusion in fusions.items()
        if as_floats(fusion.get("whole")) is not None
    }
    if not fitting:
        skip(NO_FUSION)
    score.note(ADVICE)
    return fitting


def _y(inputs: Inputs) -> Floats:
    return inputs.generator("fusion").standard_normal((3, 4, 5, 6)).astype(np.float32)


def _arrays(values: Any) -> list[Floats]:
    arrays = [as_floats(value) for value in values] if isinstance(values, list) else [None]
    if not arrays or any(array is None or array.ndim == 0 for array in arrays):
        bad_reply()
    return [array for array in arrays if array is not None]


@pytest.mark.criterion("experiments")
def test_fusion_is_repeatable(student: Student, score: Score, inputs: Inputs) -> None:
    """A variant of merging heads is deterministic, so that evaluation is reproducible."""
    for name, fusion in _fusions(student, score, _y(inputs)).items():
        if not _is_repeated(_arrays(fusion.get("again"))):
            fail(
                f"{name} gives a different output in each call.",
                hint="A random permutation per call also changes at evaluation, so perplexities "
                "differ from run to run. Sample it once, or only in training.",
            )


@pytest.mark.criterion("experiments")
def test_fusion_treats_items_alone(student: Student, score: Score, inputs: Inputs) -> None:
    """A variant of merging heads treats each item independently of the rest of the batch."""
    for name, fusion in _fusions(student, score, _y(inputs)).items():
        again, alone = (_arrays(fusion.get(key)) for key in ("again", "alone"))
        if not _is_repeated(again):
            continue  # the check above reports random output
        if len({array.shape for array in alone}) != 1 or not same(np.concatenate(alone), again[0]):
            fail(
                f"{name} gives an item a different output in a batch than by itself.",
                hint="Are weights normalized over the batch (dim=0) instead of the heads (dim=1)? "
                "With 32 items each weight is about 1/32, with one item it is 1. So outputs grow "
                "32-fold at evaluation, and perplexity grows too.",
            )


@pytest.mark.criterion("experiments")
def test_fusion_changes_the_model(student: Student, score: Score, inputs: Inputs) -> None:
    """A variant of merging heads lets the model compute functions that it could not before."""
    y = _y(inputs)
    for name, fusion in _fusions(student, score, y).items():
        again = _arrays(fusion.get("again"))
        if _is_repeated(again) and _is_renumbering(merge(y), again[0]):
            score.note(
                f"{name} only permutes the features of a token. The projection after it can "
                "permute its columns in the same way, so no difference in quality is expected."
            )


def _is_repeated(again: list[Floats]) -> bool:
    return all(same(array, again[0]) for array in again)


def _is_renumbering(plain: Floats, output: Floats) -> bool:
    """Return whether the features of every token are permuted in the same way."""
    if output.shape != plain.shape:
        return False
    order = [
        int(np.abs(plain - output[..., [i]]).sum(axis=(0, 1)).argmin())
        for i in range(output.shape[-1])
    ]
    moved = order != sorted(order)
    return (
        moved
        and len(set(order)) == len(order)
        and same(output, plain[..., order].astype(np.float64))
    )
