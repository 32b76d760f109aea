"""What could not be graded, to be graded again as it was asked for."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from graders.asked import assignment_asked, options_asked
from graders.boundary.sandbox import Tier
from graders.discovery import load_assignment
from graders.errors import Misuse
from graders.model import Assignment, Submission
from graders.pipeline import Options
from graders.regrade import upload_again
from graders.results import Member, Store


@dataclass(frozen=True, slots=True)
class Retry:
    """Submissions of one question to grade again, and a sentence for each that is gone."""

    question: tuple[Assignment, Options]
    submissions: tuple[Submission, ...]
    gone: tuple[str, ...]


def unfinished(store: Store, tier: Tier) -> Iterator[Retry]:
    """A Retry a question that was asked; Misuse where nothing was graded yet."""
    current = store.generation()
    members = [
        each
        for each in store.members(current.number)
        if each.listed and each.status == "incomplete"
    ]
    for asked, group in groupby(sorted(members, key=_asked), key=_asked):
        yield _retry(store, asked, list(group), tier)


def _asked(member: Member) -> str:
    return member.made.asked


def _retry(store: Store, asked: str, members: list[Member], tier: Tier) -> Retry:
    assignment = load_assignment(assignment_asked(asked))
    found, gone = [], []
    for member in members:
        try:
            found.append(upload_again(store, member, assignment))
        except Misuse as error:
            gone.append(f"{error}; {error.hint}")
    return Retry((assignment, options_asked(asked, tier)), tuple(found), tuple(gone))
