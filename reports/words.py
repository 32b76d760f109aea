"""The words for statuses that every report uses."""

from collections import Counter
from collections.abc import Mapping, Sequence

from graders.failures import RAISED
from graders.model import (
    CheckResult,
    CheckStatus,
    CriterionResult,
    Outcome,
    Result,
    ResultStatus,
    Visibility,
)
from graders.scoring import points_lost
from reports.text import number, points
from submissions.people import Person, people_in

CHECK_WORDS: dict[CheckStatus, str] = {
    "passed": "Passed",
    "partial": "Partial credit",
    "failed": "Failed",
    "skipped": "Skipped",
    "needs_review": "Needs manual grading",
    "error": "Could not be graded",
}

OUTCOME_WORDS: dict[Outcome, str] = {
    "raised": "Raised an error",
    "exited": "Ended itself",
    "signalled": "Crashed",
    "timed_out": "Timed out",
    "out_of_memory": "Out of memory",
    "bad_reply": "Answer not usable",
    "blocked": "Skipped: depends on a check that did not pass",
}

STATUS_WORDS: dict[ResultStatus, str] = {
    "graded": "Graded",
    "needs_review": "Needs manual grading",
    "rejected": "Not accepted",
    "incomplete": "Not fully graded",
}

VISIBILITY_WORDS: dict[Visibility, str] = {
    "visible": "",
    "hidden": "hidden",
    "after_due_date": "shown after the due date",
    "after_published": "shown on release",
}

STATUS_SENTENCES: dict[ResultStatus, str] = {
    "graded": "",
    "needs_review": "Some parts still need manual grading; they cost no points until then.",
    "rejected": "Nothing was graded: the upload cannot be used as it is. Correct it and try again.",
    "incomplete": (
        "Some of this could not be graded. That is our fault, not yours. You lose no points, "
        "and there is no total until it has been graded again."
    ),
}

STAFF_SENTENCES: dict[ResultStatus, str] = {
    "graded": "",
    "needs_review": "Part of this needs manual grading.",
    "rejected": "Nothing was graded: the upload cannot be used as it is.",
    "incomplete": "Some of this could not be graded. Grade it again with `retry`.",
}

# How messages speak to the student, and what staff read instead.
ADDRESSED = {
    "Your points count": "The points count",
    "your code": "the student's code",
    "you lose no points": "the student loses no points",
}


def check_word(result: CheckResult) -> str:
    """Return how a check ended, as precisely as possible."""
    return OUTCOME_WORDS.get(result.outcome, CHECK_WORDS[result.status])


def for_staff(message: str) -> str:
    """Return a message that speaks to the student as staff read it."""
    for to_student, to_staff in ADDRESSED.items():
        message = message.replace(to_student, to_staff)
    return message


def no_answer(result: CheckResult) -> bool:
    """Return whether the student's code gave no answer: it raised, crashed or was stopped."""
    return result.outcome not in ("", "blocked")


def raised(result: CheckResult) -> bool:
    """Return whether an exception cost points: all of a check, or those of some inputs."""
    return no_answer(result) or RAISED in result.message.partition("\n")[0]


def is_without_points(result: Result) -> bool:
    """Return whether a graded submission earned nothing: it may be empty, or the starter code."""
    return result.status == "graded" and result.score == 0 and result.max_score > 0


def endings(result: Result) -> Mapping[str, int]:
    """Count the checks of a submission by how they ended, without those that passed."""
    checks = (c for graded in result.criteria for c in graded.checks if c.status != "passed")
    return Counter(map(check_word, checks))


def unanswered(result: Result) -> Mapping[str, int]:
    """Count the checks of a submission to which its code returned no answer, by outcome."""
    checks = (c for graded in result.criteria for c in graded.checks)
    words = (OUTCOME_WORDS[c.outcome] for c in checks if no_answer(c))
    return Counter(words)


def criterion_word(graded: CriterionResult) -> str:
    """Return a criterion's status in words; one without points can only advise."""
    if graded.is_excused:
        return "Excused"
    advice = graded.criterion.points == 0 and graded.status in ("failed", "partial")
    return "Advice" if advice else CHECK_WORDS[graded.status]


def cost_words(graded: CriterionResult, checks: Sequence[CheckResult]) -> str:
    """Return what checks cost, or nothing: of one check alone, the criterion's points say it."""
    lost = points_lost(graded, checks)
    alone = sum(check.weight > 0 for check in graded.checks) < 2
    return "" if alone or not lost else f"−{points(lost)}"


def adjusted_words(graded: CriterionResult) -> str:
    """Return what a student reads about points that a person changed; the comment follows it."""
    if graded.is_excused:
        return "Your instructor excused you from this criterion; it does not count."
    if graded.machine is None:
        return f"Your instructor set these points to {number(graded.points or 0.0)}."
    if graded.machine == graded.points:
        return f"Your instructor confirmed these points: {number(graded.machine)}."
    sentence = f"Your instructor set these points to {number(graded.points or 0.0)}"
    return f"{sentence}; the checks give {number(graded.machine)}."


def intake_notes(result: Result) -> tuple[str, ...]:
    """Return the notes on what was taken from the upload, or the reason for its rejection."""
    notes = result.environment.get("rejected") or result.environment.get("intake", ())
    return tuple(map(str, notes)) if isinstance(notes, list | tuple) else (str(notes),)


def people(student: str) -> str:
    """Return the names of the submitters; numbers and addresses are only for staff."""
    return ", ".join(map(_called, people_in(student)))


def marked(student: str) -> str:
    """Return the names of the submitters for staff, who see which of them left the course."""
    submitters = people_in(student)
    return ", ".join(_called(person) + " (dropped)" * bool(person.dropped) for person in submitters)


def _called(person: Person) -> str:
    return person.name or person.email or person.sid


def undecided(graded: CriterionResult) -> tuple[CheckResult, ...]:
    """Return the checks that still need a person or our own fix."""
    return tuple(c for c in graded.checks if c.status in ("needs_review", "error"))
