"""Keep a row for each student, and read it again only if something about it has changed."""

from collections.abc import Mapping
from dataclasses import dataclass

from graders.course.release import CourseRules, rules_of
from graders.course.review import Review
from graders.model import Result
from graders.storage.requests import Request
from graders.storage.store import Member
from reports.course.view import Row, row_of
from reports.review.commenting import Mistake, mistakes_of


@dataclass(frozen=True, slots=True)
class Student:
    """A submission's row as on the course page, and its named mistakes by check."""

    row: Row
    mistakes: Mapping[str, Mistake]


class Students:
    """All submissions of the published generation; each Result is read once per change."""

    def __init__(self, review: Review) -> None:
        self._review = review
        self._grading: object = None
        self._known: dict[str, tuple[object, Student]] = {}

    def rules(self) -> CourseRules:
        """Return the course's rules as they are now."""
        review = self._review
        return rules_of(review.store, review.assignment_now(), review.folder)

    def ids(self) -> list[str]:
        """Return the submissions that are in the reports, sorted."""
        return [member.submission for member in self._members()]

    def result(self, submission: str) -> Result | None:
        """Return a submission's Result; None if there is none."""
        if submission not in self.ids():
            return None
        store = self._review.store
        return store.member_result(store.published, submission)

    def all(self) -> list[Student]:
        """Return all students, sorted by submission."""
        store, rules = self._review.store, self.rules()
        grading = (rules.policy, rules.dues)
        if grading != self._grading:
            self._grading, self._known = grading, {}
        adjusted = {
            adjustment.submission: adjustment.number for adjustment in store.adjustments().all()
        }
        students = []
        for member in self._members():
            open_ = [
                request for request in rules.requests.get(member.submission, ()) if request.is_open
            ]
            stamp = self._stamp(member, adjusted.get(member.submission, 0), open_)
            cached = self._known.get(member.submission)
            if cached is None or cached[0] != stamp:
                result = store.result(member.submission, member.cache_key.address)
                row = row_of(result, rules.grade(result), open_)
                cached = stamp, Student(row, mistakes_of(result))
                self._known[member.submission] = cached
            students.append(cached[1])
        return students

    def _members(self) -> list[Member]:
        store = self._review.store
        return [member for member in store.members() if member.listed]

    def _stamp(self, member: Member, adjusted: int, requests: list[Request]) -> object:
        decisions = self._review.trail.by_submission.get(member.submission, [])
        newest = decisions[-1].number if decisions else 0
        return member.sum, newest, adjusted, bool(requests)
