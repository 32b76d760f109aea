"""Load results as a table in a notebook: `softmark.load("out/")`."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from graders.model import CriterionResult, Result
from graders.storage.store import read_store

__all__ = ["load"]

COLUMNS = {
    "submission": "string",
    "result": "string",
    "criterion": "string",
    "title": "string",
    "kind": "string",
    "visibility": "string",
    "extra_credit": "bool",
    "status": "string",
    "points": "float64",
    "max_points": "float64",
    "failed_checks": "int64",
    "hint": "string",
}


def load(out: str | Path) -> pd.DataFrame:
    """Return a table with one row per submission and criterion of a results folder.

    The rows are those of the last published grading, in the order of submissions and of the
    rubric. `out` is the folder given to `run` or `batch` as `--out`.

    ===============  ==============================================================================
    submission       name of the submission
    result           "graded", "needs_review", "incomplete" or "rejected"
    criterion        id in the rubric; `title`, `kind`, `visibility` and `extra_credit` as declared
    status           "passed", "partial", "failed", "skipped", "error" or "needs_review"
    points           before late penalties and drops; NaN while they are undecided
    max_points       points of the rubric; 0 if the student is excused from it
    failed_checks    number of checks that failed
    hint             the first hint of its checks, or ""
    ===============  ==============================================================================

    Raises StorageError if `out` contains no results.
    """
    with read_store(Path(out)) as store:
        rows = [row for result in store.results() for row in _rows(result)]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _rows(result: Result) -> Iterator[tuple[object, ...]]:
    for graded in result.criteria:
        declared = graded.criterion
        yield (
            result.submission.id,
            result.status,
            declared.id, declared.title, declared.kind, declared.visibility,
            declared.extra_credit,
            graded.status,
            graded.points,
            declared.points,
            sum(check.status == "failed" for check in graded.checks),
            _hint(graded),
        )  # fmt: skip


def _hint(judged: CriterionResult) -> str:
    return next((check.hint for check in judged.checks if check.hint), "")
