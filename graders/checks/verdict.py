"""Turn the end of a check into its CheckResult."""

import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hypothesis.errors import Flaky

from graders.checks.compare import CheckFailed, CheckSkipped, Explanation
from graders.checks.mistakes import mistake_named
from graders.checks.score import Partial, Score
from graders.errors import GraderFault, StudentFault
from graders.model import Check, CheckResult, CheckStatus

OURS = "This is a grader error, not a problem with your code, and you lose no points for it"
LONGEST = 20_000  # characters of a text: it may contain what a student's process replied
OUR_MODULES = (
    "graders.boundary", "graders.checks", "graders.data.birthplaces", "graders.data.course",
    "graders.data.labelled", "hypothesis.", "submissions.",
)  # fmt: skip


def verdict(
    check: Check,
    problem: BaseException | None,
    score: Score | None = None,
    seconds: float = 0.0,
) -> CheckResult:
    """Return the result of a check that returned (problem is None) or raised, with its figures."""
    score = score or Score()
    result = _finished(check, score) if problem is None else _raised(check, problem)
    notes = () if result.status == "error" else score.notes
    message = "\n".join(text for text in (result.message, *notes) if text)
    return replace(
        result,
        message=message[:LONGEST],
        hint=result.hint[:LONGEST],
        expected=result.expected[:LONGEST],
        actual=result.actual[:LONGEST],
        counterexample=tuple((name, text[:LONGEST]) for name, text in result.counterexample),
        seconds=seconds,
        figures=tuple(score.figures),
    )


def _raised(check: Check, problem: BaseException) -> CheckResult:
    cause = cause_of(problem)
    if isinstance(cause, CheckFailed):
        result = _shown(check, "failed", 0.0, cause.explanation)
        fault = cause.__cause__
        if isinstance(fault, StudentFault):  # the check wrote its own message about it
            return replace(result, hint=result.hint or fault.hint, outcome=fault.outcome)
        return result
    if isinstance(cause, CheckSkipped):
        return CheckResult(check, "skipped", 0.0, str(cause))
    if isinstance(cause, StudentFault):
        result = CheckResult(check, "failed", 0.0, str(cause), cause.hint, actual=cause.where)
        return replace(result, outcome=cause.outcome)
    if isinstance(cause, AssertionError) and not _is_ours(cause):
        return CheckResult(check, "failed", 0.0, str(cause))
    reason = f": {cause}." if isinstance(cause, GraderFault) else "."
    return CheckResult(check, "error", 0.0, OURS + reason)


def _is_ours(assertion: AssertionError) -> bool:
    """Return whether Softmark or hypothesis raised it; only a check's own assertion counts."""
    trace = assertion.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__", ""))
    return module.startswith(OUR_MODULES)


def _finished(check: Check, score: Score) -> CheckResult:
    if score.needs_person is not None:
        return _shown(check, "needs_review", 0.0, score.needs_person)
    partial = score.partial_credit
    earned = 1.0 if partial is None else partial.fraction
    if score.doubts and earned > 0:
        return _shown(check, "needs_review", earned, _unconfirmed(score.doubts[0], partial))
    if partial is None or earned >= 1.0:
        return CheckResult(check, "passed", 1.0, partial.why.message if partial is not None else "")
    return _shown(check, "partial" if earned > 0 else "failed", earned, partial.why)


def _unconfirmed(doubt: Explanation, partial: Partial | None) -> Explanation:
    """Return what a check earned, below the reason why a person has to confirm it."""
    if partial is None:
        return doubt
    message = "\n".join(
        text for text in (doubt.message, partial.why.message, partial.why.hint) if text
    )
    return replace(doubt, message=message)


def _shown(check: Check, status: CheckStatus, fraction: float, why: Explanation) -> CheckResult:
    return CheckResult(
        check,
        status,
        fraction,
        why.message,
        str(why.hint),
        why.expected,
        why.actual,
        why.rows,
        mistake=mistake_named(why.hint),
    )


def cause_of(problem: BaseException) -> BaseException:
    """Return the error that decides the verdict.

    Hypothesis groups errors if answers vary between calls. Our own fault takes precedence, because
    it makes any statement about the student unreliable.
    """
    if not isinstance(problem, BaseExceptionGroup | Flaky):
        return problem
    inner = [cause_of(cause) for cause in getattr(problem, "exceptions", ())]
    for kind in (GraderFault, CheckFailed, StudentFault):
        for cause in inner:
            if isinstance(cause, kind):
                return cause
    return inner[0] if inner else problem


def fault_line(problem: BaseException, folder: Path) -> str:
    """Describe an error of ours in one line for staff: file and line, the exception, its words.

    The line is the last one in the assignment's folder, where its author can fix it.
    """
    cause = problem.__cause__ if isinstance(problem, GraderFault) else None
    problem = cause or problem
    places = list(_places(problem))
    in_folder = [place for place in places if Path(place.filename).is_relative_to(folder)]
    text = problem.msg if isinstance(problem, SyntaxError) else str(problem)
    texts = [text[:200], *getattr(problem, "__notes__", ())]
    if not isinstance(problem, GraderFault):
        texts[0] = f"{type(problem).__name__}: {texts[0]}"
    for place in (in_folder or places)[-1:]:
        file = Path(place.filename)
        name = file.relative_to(folder).as_posix() if in_folder else file.name
        return f"{name}, line {place.lineno}: {'; '.join(texts)}"
    return "; ".join(texts)


def _places(problem: BaseException) -> Iterator[traceback.FrameSummary]:
    """Yield the lines that an error passed, and the one that is no Python."""
    yield from traceback.extract_tb(problem.__traceback__)
    if isinstance(problem, SyntaxError) and problem.filename:
        yield traceback.FrameSummary(problem.filename, problem.lineno, "")
