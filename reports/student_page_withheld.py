"""What visible checks may say of hidden ones: nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from graders.model import CheckResult, CriterionResult

SHOWN_LATER = "Not judged, because it builds on something that is shown later."


def unquoted(
    shown: Iterable[CriterionResult], hidden: Sequence[CriterionResult]
) -> tuple[CriterionResult, ...]:
    """The visible criteria; a check that was not run for a hidden one does not name that."""
    sentences = {found.check.description for graded in hidden for found in graded.checks}
    return tuple(
        replace(graded, checks=tuple(_unquoted(found, sentences) for found in graded.checks))
        for graded in shown
    )


def _unquoted(found: CheckResult, sentences: set[str]) -> CheckResult:
    named = (sentence and sentence in found.message for sentence in sentences)
    if found.status == "skipped" and any(named):
        return replace(found, message=SHOWN_LATER)
    return found
