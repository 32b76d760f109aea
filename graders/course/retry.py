"""Grade incomplete submissions again, with the same options."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from graders.boundary.tiers.sandbox import Tier
from graders.course.regrade import upload_again
from graders.data.declared import refuse_other_data
from graders.errors import UserError
from graders.grading.asked import assignment_asked, options_asked
from graders.grading.pipeline import GradingRequest
from graders.model import Submission
from graders.registry.discovery import load_assignment
from graders.storage.results import Member, Store


@dataclass(frozen=True, slots=True)
class Retry:
    """Submissions of one request to grade again, and a sentence for each missing upload."""

    request: GradingRequest
    submissions: tuple[Submission, ...]
    gone: tuple[str, ...]


def unfinished(store: Store, tier: Tier) -> Iterator[Retry]:
    """Yield a Retry for each request; raises UsageError if nothing was graded yet."""
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
        except UserError as error:
            gone.append(f"{error}; {error.hint}")
    request = GradingRequest(assignment, options_asked(asked, tier))
    refuse_other_data(assignment, request.options.data)
    return Retry(request, tuple(found), tuple(gone))
