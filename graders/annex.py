"""What the store keeps beside a Result's JSON, so that a Result comes back whole.

{"title", "submitted_at", "criteria": [[kind, [[weight, [depends_on, ...]], ...]], ...]}
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from graders.model import CheckResult, CriterionResult, Result


def annex_of(result: Result) -> str:
    """What the JSON of this Result leaves out."""
    submitted_at = result.submission.submitted_at
    return json.dumps(
        {
            "title": result.title,
            "submitted_at": submitted_at and submitted_at.isoformat(),
            "criteria": [_criterion_annex(each) for each in result.criteria],
        }
    )


def with_annex(result: Result, annex: str, path: Path) -> Result:
    """The Result as it was before it became JSON."""
    kept = json.loads(annex)
    submitted_at = kept["submitted_at"] and datetime.fromisoformat(kept["submitted_at"])
    submission = replace(result.submission, path=path, submitted_at=submitted_at or None)
    criteria = tuple(
        _criterion(each, kind, checks)
        for each, (kind, checks) in zip(result.criteria, kept["criteria"], strict=True)
    )
    return replace(result, submission=submission, title=kept["title"], criteria=criteria)


def _criterion_annex(graded: CriterionResult) -> list[Any]:
    checks = [[found.check.weight, list(found.check.depends_on)] for found in graded.checks]
    return [graded.criterion.kind, checks]


def _criterion(graded: CriterionResult, kind: Any, checks: Sequence[Any]) -> CriterionResult:
    criterion = replace(graded.criterion, kind=kind)
    found = tuple(_check(each, kept) for each, kept in zip(graded.checks, checks, strict=True))
    return replace(graded, criterion=criterion, checks=found)


def _check(found: CheckResult, kept: Sequence[Any]) -> CheckResult:
    weight, depends_on = kept
    return replace(found, check=replace(found.check, weight=weight, depends_on=tuple(depends_on)))
