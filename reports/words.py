"""The words every report says a status with."""

from graders.model import CheckResult, CheckStatus, CriterionResult, Result, ResultStatus

CHECK_WORDS: dict[CheckStatus, str] = {
    "passed": "Passed",
    "partial": "Partly",
    "failed": "Failed",
    "skipped": "Skipped",
    "needs_review": "Waits for a person",
    "error": "Could not be graded",
}

STATUS_WORDS: dict[ResultStatus, str] = {
    "graded": "Graded",
    "needs_review": "Waits for a person",
    "rejected": "Not accepted",
    "incomplete": "Not fully graded",
}

STATUS_SENTENCES: dict[ResultStatus, str] = {
    "graded": "",
    "needs_review": (
        "A person still looks at a part of this. Where points depend on it, there is no total "
        "until then."
    ),
    "rejected": "The upload could not be opened, so nothing was graded. It can be sent again.",
    "incomplete": (
        "Some of this could not be graded. That is our fault, not yours: it costs you nothing, "
        "and there is no total until it has been graded again."
    ),
}


def criterion_word(graded: CriterionResult) -> str:
    """A criterion's status in words; one without points can only advise."""
    advice = graded.criterion.points == 0 and graded.status in ("failed", "partial")
    return "Advice" if advice else CHECK_WORDS[graded.status]


def intake_notes(result: Result) -> tuple[str, ...]:
    """What was taken from the upload and why; of an upload that was rejected, the reason."""
    notes = result.environment.get("rejected") or result.environment.get("intake", ())
    return tuple(map(str, notes)) if isinstance(notes, list | tuple) else (str(notes),)


def undecided(graded: CriterionResult) -> tuple[CheckResult, ...]:
    """The checks that still wait for a person or for us."""
    return tuple(c for c in graded.checks if c.status in ("needs_review", "error"))
