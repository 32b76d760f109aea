"""Turn the end of a check into its CheckResult."""

import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hypothesis.errors import Flaky

from graders.checks.compare import CheckFailed, CheckSkipped
from graders.checks.mistakes import mistake_named
from graders.checks.score import Partial, Score
from graders.errors import GraderFault, StudentFault
from graders.model import Check, CheckResult, CheckStatus, Outcome

OURS = "This is a grader error, not a problem with your code, and you lose no points for it"
OUR_MODULES = (
    *("graders.boundary", "graders.checks", "graders.data.birthplaces", "graders.data.course"),
    *("graders.data.labelled", "hypothesis.", "submissions."),
)


def verdict(
    check: Check,
    problem: BaseException | None,
    score: Score | None = None,
    seconds: float = 0.0,
) -> CheckResult:
    """Return the result of a check that returned (problem is None) or raised, with its figures."""
    score = score or Score()
    if problem is None:
        found = _finished(check, score, seconds)
    else:
        found = _raised(check, problem, score, seconds)
    return replace(found, figures=tuple(score.figures))


def _raised(check: Check, problem: BaseException, score: Score, seconds: float) -> CheckResult:
    cause = cause_of(problem)
    if isinstance(cause, CheckFailed):
        return CheckResult(
            check,
            "failed",
            0.0,
            _with_notes(cause.message, score),
            str(cause.hint) or _hint_behind(cause),
            cause.expected,
            cause.actual,
            cause.counterexample,
            seconds,
            _outcome_behind(cause),
            mistake=mistake_named(cause.hint),
        )
    if isinstance(cause, CheckSkipped):
        return CheckResult(check, "skipped", 0.0, _with_notes(str(cause), score), seconds=seconds)
    if isinstance(cause, StudentFault):
        return CheckResult(
            check,
            "failed",
            0.0,
            _with_notes(str(cause), score),
            cause.hint,
            actual=cause.where,
            seconds=seconds,
            outcome=cause.outcome,
        )
    if isinstance(cause, AssertionError) and not _is_ours(cause):
        return CheckResult(check, "failed", 0.0, _with_notes(str(cause), score), seconds=seconds)
    reason = f": {cause}." if isinstance(cause, GraderFault) else "."
    return CheckResult(check, "error", 0.0, OURS + reason, seconds=seconds)


def _is_ours(assertion: AssertionError) -> bool:
    """Return whether Softmark or hypothesis raised it; only a check's own assertion counts."""
    trace = assertion.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__", ""))
    return module.startswith(OUR_MODULES)


def _outcome_behind(failed: CheckFailed) -> Outcome:
    """Return the outcome of the student's fault for which a check wrote its own message."""
    fault = failed.__cause__
    return fault.outcome if isinstance(fault, StudentFault) else ""


def _hint_behind(failed: CheckFailed) -> str:
    fault = failed.__cause__
    return fault.hint if isinstance(fault, StudentFault) else ""


def _finished(check: Check, score: Score, seconds: float) -> CheckResult:
    if score.needs_person is not None:
        return _shown(check, "needs_review", score.needs_person, score, seconds)
    partial = score.partial_credit
    earned = 1.0 if partial is None else partial.fraction
    if score.doubts and earned > 0:
        return _shown(check, "needs_review", _unconfirmed(score.doubts[0], partial), score, seconds)
    if partial is None or partial.fraction >= 1.0:
        message = partial.message if partial is not None else ""
        return CheckResult(check, "passed", 1.0, _with_notes(message, score), seconds=seconds)
    status: CheckStatus = "partial" if partial.fraction > 0 else "failed"
    return _shown(check, status, partial, score, seconds)


def _unconfirmed(doubt: Partial, partial: Partial | None) -> Partial:
    """Return what a check earned, below the reason why a person has to confirm it."""
    if partial is None:
        return doubt
    message = "\n".join(text for text in (doubt.message, partial.message, partial.hint) if text)
    return replace(doubt, fraction=partial.fraction, message=message)


def _shown(
    check: Check, status: CheckStatus, partial: Partial, score: Score, seconds: float
) -> CheckResult:
    return CheckResult(
        check,
        status,
        partial.fraction,
        _with_notes(partial.message, score),
        str(partial.hint),
        partial.expected,
        partial.actual,
        partial.counterexample,
        seconds,
        mistake=mistake_named(partial.hint),
    )


def _with_notes(message: str, score: Score) -> str:
    return "\n".join(text for text in (message, *score.notes) if text)


def cause_of(problem: BaseException) -> BaseException:
    """Return the error that decides the verdict.

    Hypothesis groups errors if answers vary between calls. Our own fault takes precedence, because
    it makes any statement about the student unreliable.
    """
    if not isinstance(problem, BaseExceptionGroup | Flaky):
        return problem
    inner = [cause_of(each) for each in getattr(problem, "exceptions", ())]
    for kind in (GraderFault, CheckFailed, StudentFault):
        for each in inner:
            if isinstance(each, kind):
                return each
    return inner[0] if inner else problem


def fault_line(problem: BaseException, folder: Path) -> str:
    """Describe an error of ours in one line for staff: file and line, the exception, its words.

    The line is the last one in the assignment's folder, where its author can fix it.
    """
    cause = problem.__cause__ if isinstance(problem, GraderFault) else None
    problem = cause or problem
    places = list(_places(problem))
    own = [each for each in places if Path(each.filename).is_relative_to(folder)]
    text = problem.msg if isinstance(problem, SyntaxError) else str(problem)
    said = [text[:200], *getattr(problem, "__notes__", ())]
    if not isinstance(problem, GraderFault):
        said[0] = f"{type(problem).__name__}: {said[0]}"
    for place in (own or places)[-1:]:
        file = Path(place.filename)
        name = file.relative_to(folder).as_posix() if own else file.name
        return f"{name}, line {place.lineno}: {'; '.join(said)}"
    return "; ".join(said)


def _places(problem: BaseException) -> Iterator[traceback.FrameSummary]:
    """Yield the lines that an error passed, and the one that is no Python."""
    yield from traceback.extract_tb(problem.__traceback__)
    if isinstance(problem, SyntaxError) and problem.filename:
        yield traceback.FrameSummary(problem.filename, problem.lineno, "")
