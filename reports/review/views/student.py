"""The view of one student for staff: points and checks, adjustments, comments, requests."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graders.adjustments import Adjustment
from graders.course.best_attempts import which_count
from graders.course.extensions import Extensions, Granted, keys_of, keys_of_one
from graders.course.final_grades import FinalGrade
from graders.course.merges import Merge, merges_table, read_merges, student_of
from graders.course.roster import drops_table
from graders.model import Criterion, CriterionResult, Result, Submission
from graders.storage.requests import Comment, Request
from reports.exports.findings import JUDGED, where_ended
from reports.review.extending import extensions_of, late_days_of
from reports.review.views.frame import Frame, frame
from reports.review.web.sessions import Session
from reports.review.web.site import Refusal, Site, student_address
from reports.student.sections import Section, sections
from reports.text import number
from reports.words import STAFF_SENTENCES, intake_notes
from submissions.people import Person, name_key, people_in

VISIBILITY = {"hidden": "hidden from students", "visible": ""}
LATER = "shown to students later"
# Parts of the page with a form, as the criterion of a draft: no criterion has such an ID.
EXTENDING, SPENDING, ENROLLING, MERGING = " due", " late", " course", " attempts"


@dataclass(frozen=True, slots=True)
class Draft:
    """Input that could not be stored, for one criterion, a comment or an extension."""

    criterion: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Desk:
    """One criterion: its checks, the adjustments so far, the lines at which checks failed.

    `judged` are the files that failed checks are about.
    """

    section: Section
    visibility: str
    trail: tuple[Adjustment, ...]
    places: tuple[tuple[str, int], ...]
    judged: tuple[str, ...]

    @property
    def seen(self) -> int:
        """The number of the newest adjustment on the page."""
        return self.trail[-1].number if self.trail else 0


@dataclass(frozen=True, slots=True)
class Group:
    """A mistake of this student: check, criterion, hint, and how many students made it."""

    check: str
    title: str
    hint: str
    count: int


@dataclass(frozen=True, slots=True)
class DueDates:
    """When this submission is due and was submitted, and its extensions; `seen` counts all.

    `late_days` are those that are written for it; None if late work costs nothing.
    """

    due: datetime
    submitted: datetime | None
    granted: tuple[Granted, ...]
    seen: int
    late_days: str | None


@dataclass(frozen=True, slots=True)
class Enrollment:
    """Who submitted it, each with what `drop` knows them by, and the rows about them.

    `seen` counts all rows.
    """

    people: Mapping[str, Person]
    rows: tuple[Mapping[str, str], ...]
    seen: int


@dataclass(frozen=True, slots=True)
class AboutAttempts:
    """Which of the student's attempts count, and the merged ones; `seen` counts all merges.

    `rule` is the one that the course seems to use: with `last`, `batch` stores only attempts that
    count.
    """

    counts: str
    rule: str
    merged: tuple[Merge, ...]
    seen: int


@dataclass(frozen=True, slots=True)
class StudentDesk:
    """The view of one student."""

    frame: Frame
    result: Result
    sentence: str
    notes: tuple[str, ...]
    final: str
    desks: tuple[Desk, ...]
    groups: tuple[Group, ...]
    comments: tuple[Comment, ...]
    requests: tuple[Request, ...]
    dates: DueDates | None
    enrollment: Enrollment
    attempts: AboutAttempts
    printed: str
    place: str
    before: str
    after: str
    draft: Draft


def student_desk(
    site: Site, session: Session, submission: str, draft: Draft | None = None
) -> StudentDesk:
    """Return a student's page. Raises Refusal if there is no such submission."""
    result, rules = result_of(site, submission), site.students.rules()
    ids = _neighbors(site, session, submission)
    place = ids.index(submission)
    grade = rules.grade(result)
    return StudentDesk(
        frame=frame(site, session, student_address(submission)),
        result=result,
        sentence=STAFF_SENTENCES[result.status],
        notes=intake_notes(result),
        final=_final(grade),
        desks=_desks(site, result, rules.opened),
        groups=_groups(site, result),
        comments=tuple(rules.comments.get(submission, ())),
        requests=tuple(rules.requests.get(submission, ())),
        dates=_dates(site, result, rules.dues),
        enrollment=_enrollment(site, result.submission),
        attempts=_attempts(site, submission),
        printed=str(result.environment.get("printed", "")),
        place=f"{place + 1} of {len(ids)} found" if len(ids) < len(site.students.ids()) else "",
        before=student_address(ids[place - 1]) if place else "",
        after=student_address(ids[place + 1]) if place + 1 < len(ids) else "",
        draft=draft or Draft(),
    )


def _neighbors(site: Site, session: Session, submission: str) -> list[str]:
    """Return the students between whom the keys go: those found by the last search, if several."""
    ids = site.students.ids()
    matches = [name for name in session.matches if name in {*ids}]
    return matches if submission in matches and len(matches) > 1 else ids


def _enrollment(site: Site, submission: Submission) -> Enrollment:
    rows = drops_table(site.review.folder).all_rows()
    people = people_in(submission.student)
    alone = submission.id if len(people) == 1 else ""
    by_name = {
        alone or keys_of_one(person)[0]: person for person in people if alone or keys_of_one(person)
    }
    names = keys_of(submission.id, submission.student)
    marks = tuple(row for row in rows if name_key(row["student"]) in names)
    return Enrollment(by_name, marks, len(rows))


def _attempts(site: Site, submission: str) -> AboutAttempts:
    review = site.review
    people = {
        student.row.submission.id: student.row.submission.student for student in site.students.all()
    }
    listed = frozenset(people)
    for member in review.store.members():
        if not member.listed:
            people[member.submission], _ = review.store.people_and_time(member)
    merges = read_merges(review.folder)
    root = student_of(merges, submission)
    merged = (merge for name, merge in merges.items() if student_of(merges, name) == root)
    counts = which_count(people, listed, submission)
    rule = (
        list(merges.values())[-1].attempts
        if merges
        else "best"
        if people.keys() - listed
        else "last"
    )
    return AboutAttempts(counts, rule, tuple(merged), len(merges_table(review.folder).all_rows()))


def _dates(site: Site, result: Result, dues: Extensions) -> DueDates | None:
    submission = result.submission
    due = dues.due_of(submission)
    if due is None or due.tzinfo is None:
        return None
    names = keys_of(submission.id, submission.student)
    costs = site.students.rules().policy.lateness.percent
    late_days = late_days_of(site.review.folder, names) if costs else None
    granted = tuple(extensions_of(dues, names))
    submitted = submission.submitted_at and submission.submitted_at.astimezone(due.tzinfo)
    return DueDates(due, submitted, granted, len(dues.granted), late_days)


def result_of(site: Site, submission: str) -> Result:
    """Return a submission's Result. Raises Refusal if there is none."""
    result = site.students.result(submission)
    if result is None:
        raise Refusal(404, "No such submission", "It is not in the published results.")
    return result


def _final(grade: FinalGrade | None) -> str:
    if grade is None or grade.final is None:
        return grade.words if grade else ""
    return f"Final grade {number(grade.final)}: {grade.words}"


def _visibility(criterion: Criterion, opened: Collection[str]) -> str:
    return "" if criterion.id in opened else VISIBILITY.get(criterion.visibility, LATER)


def _desks(site: Site, result: Result, opened: Collection[str]) -> tuple[Desk, ...]:
    trail = [
        adjustment
        for adjustment in site.review.store.adjustments().all()
        if adjustment.submission == result.submission.id
    ]
    return tuple(
        Desk(
            section,
            _visibility(section.graded.criterion, opened),
            tuple(a for a in trail if a.criterion == section.graded.criterion.id),
            places_in(section.graded),
            _judged(section.graded),
        )
        for section in sections(result, result.criteria, ())
    )


def places_in(graded: CriterionResult) -> tuple[tuple[str, int], ...]:
    """Return the student's lines at which checks of a criterion ended, each once."""
    places = map(where_ended, graded.checks)
    return tuple(dict.fromkeys(place for place in places if place is not None))


def _judged(graded: CriterionResult) -> tuple[str, ...]:
    """Return the files that failed checks name as the code that they judge."""
    matches = (JUDGED.search(check.message) for check in graded.checks if check.status != "passed")
    return tuple(dict.fromkeys(match[1] for match in matches if match is not None))


def _groups(site: Site, result: Result) -> tuple[Group, ...]:
    titles = {graded.criterion.id: graded.criterion.title for graded in result.criteria}
    everyone = site.students.all()
    this_student = next(
        student for student in everyone if student.row.submission.id == result.submission.id
    )
    checks = {mistake: check for check, mistake in reversed(list(this_student.mistakes.items()))}
    counts = {
        mistake: sum(mistake in student.mistakes.values() for student in everyone)
        for mistake in checks
    }
    return tuple(
        Group(check, titles[mistake[0]], mistake[1], counts[mistake])
        for mistake, check in reversed(checks.items())
        if counts[mistake] > 1
    )
