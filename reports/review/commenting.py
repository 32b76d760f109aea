"""Comment on one student or on everyone who made the same mistake; withdraw comments."""

from collections.abc import Iterator
from dataclasses import replace

from graders.course.roster import by_identity
from graders.errors import UsageError
from graders.model import Result
from graders.storage.requests import Comment
from graders.storage.store import Store
from reports.review.adjusting import submission_of
from reports.review.verdicts import NOTHING, Mistyped, usable_comment
from reports.text import line
from reports.words import no_answer

Mistake = tuple[str, str]  # a criterion's id and a hint


def mistakes_of(result: Result) -> dict[str, Mistake]:
    """Return the mistake of each failed check that has a hint.

    As on the course page, a mistake is a criterion and a hint. Hints for crashes are too general.
    """
    return {
        check.id: (graded.criterion.id, check.hint)
        for graded in result.criteria
        for check in graded.checks
        if check.status in ("failed", "partial") and check.hint and not no_answer(check)
    }


def find_submission(store: Store, typed: str) -> str:
    """Return the submission of a student; raises UsageError if there is not exactly one."""
    ids = {member.submission for member in store.members()}
    try:
        return submission_of(typed, ids, lambda: by_identity(store))
    except Mistyped as error:
        raise UsageError(str(error), NOTHING) from error


def comment(store: Store, draft: Comment, check: str = "") -> str:
    """Store a comment, and return a sentence that says for whom.

    With `check`, store it for every student who got the hint that this check gave this student.
    Raises UsageError if that is not possible.
    """
    text = usable_comment(draft.comment)
    if not text:
        raise UsageError("the comment is empty", NOTHING)
    draft = replace(draft, comment=text)
    rows = list(_to_all(store, draft, check)) if check else [draft]
    added = store.comments().add(rows)
    outcome = "commented" if added else "this comment is stored already"
    if not check:
        return f"{draft.submission}: {outcome}"
    return f"{len(rows)} with this mistake: {outcome} ({line(rows[0].mistake, 100)})"


def withdraw(store: Store, submission: str, reviewer: str, number: int = 0) -> str:
    """Withdraw a comment (by default the student's newest) and its copies for the same mistake."""
    shown = store.comments().shown()
    comments = [entry for entry in shown if entry.submission == submission]
    matches = [entry for entry in comments if entry.number == (number or entry.number)]
    if not matches:
        raise UsageError(f"{submission} has no such comment", "it may be withdrawn already")
    last = matches[-1]
    content = (last.reviewer, last.comment, last.mistake)
    same = [
        entry
        for entry in shown
        if last.mistake and (entry.reviewer, entry.comment, entry.mistake) == content
    ]
    rows = [
        Comment(entry.submission, reviewer, "", withdraws=entry.number) for entry in same or [last]
    ]
    store.comments().add(rows)
    whose = submission if len(rows) == 1 else f"{len(rows)} submissions"
    return f"{whose}: comment withdrawn, {last.reviewer}'s: {line(last.comment, 60)}"


def _to_all(store: Store, draft: Comment, check: str) -> Iterator[Comment]:
    generation = store.published
    mistakes = mistakes_of(store.member_result(generation, draft.submission))
    if check not in mistakes:
        hint = f"checks that do: {', '.join(sorted(mistakes)) or 'none'}; {NOTHING}"
        raise UsageError(f"`{check}` names no mistake of {draft.submission}", hint)
    for result in store.results(generation):
        if mistakes[check] in mistakes_of(result).values():
            yield replace(
                draft, submission=result.submission.id, mistake=": ".join(mistakes[check])
            )
