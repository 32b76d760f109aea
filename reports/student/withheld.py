"""Select the criteria that students may see, without any text about hidden ones."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from graders.model import SHOWN_LATER, CheckResult, Criterion, CriterionResult


def is_shown(criterion: Criterion, opened: frozenset[str]) -> bool:
    """Return whether a student may see a criterion; one graded as `hidden` is never opened."""
    if criterion.visibility == "visible":
        return True
    return criterion.visibility != "hidden" and criterion.id in opened


def unquoted(
    shown: Iterable[CriterionResult], hidden: Sequence[CriterionResult]
) -> tuple[CriterionResult, ...]:
    """Return the visible criteria; checks skipped because of a hidden one do not name it."""
    checks = [check.check for graded in hidden for check in graded.checks]
    # A failed check is quoted by its description, one that we could not run by its id.
    names = {check.description for check in checks} | {f"`{check.id}`" for check in checks}
    return tuple(
        replace(graded, checks=tuple(_unquoted(check, names) for check in graded.checks))
        for graded in shown
    )


def _unquoted(check: CheckResult, names: set[str]) -> CheckResult:
    named = (name and name in check.message for name in names)
    if check.status in ("skipped", "error") and any(named):
        return replace(check, message=SHOWN_LATER)
    return check
