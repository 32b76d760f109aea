"""A Result cut short, for a page that would be larger than a mail may be."""

from dataclasses import replace

from graders.model import CheckResult, CriterionResult, Result

WORDS, VALUES = 300, 60  # characters of a sentence, and of a value, whose every space may be drawn


def shortened(result: Result) -> Result:
    """The Result without pictures and examples, its texts cut."""
    return replace(result, criteria=tuple(map(_criterion, result.criteria)))


def _criterion(graded: CriterionResult) -> CriterionResult:
    return replace(graded, checks=tuple(map(_check, graded.checks)))


def _check(found: CheckResult) -> CheckResult:
    return replace(
        found,
        message=_cut(found.message, WORDS),
        hint=_cut(found.hint, WORDS),
        expected=_cut(found.expected, VALUES),
        actual=_cut(found.actual, VALUES),
        counterexample=(),
        figures=(),
    )


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]} …"
