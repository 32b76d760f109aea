"""Let people decide: manual grading, adjusted points, requests, and what students see."""

import getpass
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from commands.options import Folder, Out, Reviewer, existing
from graders.adjustments import adjusted
from graders.course.review import open_review
from graders.course.roster import search, wanted_submissions
from graders.errors import StorageError, UsageError
from graders.failures import Failures, Hint, add_hint
from graders.grading.options import assignment_in, stored_assignment
from graders.model import Assignment
from graders.registry.discovery import load_assignment
from graders.storage.files import write_whole
from graders.storage.requests import ANSWERS, Comment, Reply, Request, Requests
from graders.storage.store import Member, Store, read_store, reopen_store
from reports.course.files import release_criteria, write_course
from reports.review.requests import read_request
from reports.terminal.store import (
    show_adjustments,
    show_comments,
    show_kinds,
    show_request,
    show_requests,
    show_sentences,
)
from reports.words import for_staff
from submissions.escaping import counted, split_names

LONGEST_HINT = 1000  # characters
Port = Annotated[int, typer.Option(help="Port on this machine.", show_default="a free one")]
Browser = Annotated[bool, typer.Option(help="Open the page.")]
Undo = Annotated[bool, typer.Option("--undo", help="Hide them again.")]


def serve(folder: Folder, port: Port = 0, reviewer: Reviewer = "", browser: Browser = True) -> None:
    """Open a local page for staff: students, manual grading, regrade requests, releases."""
    # Only these two commands import the web server.
    from reports.review.web import server

    server.serve(folder, home="/", port=port, reviewer=reviewer, open_browser=browser)


def review(
    folder: Folder, port: Port = 0, reviewer: Reviewer = "", browser: Browser = True
) -> None:
    """Open the local page for manual grading."""
    from reports.review.web import server

    server.serve(folder, port=port, reviewer=reviewer, open_browser=browser)


def decide(
    folder: Folder,
    kinds: Annotated[
        str, typer.Option(metavar="KIND,KIND", help="Kinds to decide, or `all`.")
    ] = "",
    accept: Annotated[
        bool | None,
        typer.Option(
            "--accept/--reject", help="Count the earned points, or none.", show_default="list"
        ),
    ] = None,
    only: Annotated[
        str, typer.Option(metavar="ID,ID", help="Only these submissions.", show_default="all")
    ] = "",
    comment: Annotated[str, typer.Option(help="Comment (visible to students).")] = "",
    reviewer: Reviewer = "",
) -> None:
    """List or decide checks of code and predictions that need manual grading."""
    from reports.review.kinds import decide_kinds
    from reports.review.kinds import kinds as kinds_of
    from reports.review.outputs import write_grades
    from reports.review.verdicts import Mistyped

    if (accept is None) != (not kinds):
        missing = "--accept or --reject" if kinds else "--kinds"
        raise UsageError(f"{missing} is missing", "`decide DIR` alone lists the kinds")
    with open_review(folder) as review:
        undecided = kinds_of(review, wanted_submissions(review.store, only) or ())
        if accept is None:
            rows = [(e.name, e.submissions, e.checks, for_staff(e.text)) for e in undecided]
            show_kinds(rows)
            return
        names = split_names(kinds)
        possible = {kind.name for kind in undecided}
        for name in sorted(names - possible - {"all"}):
            raise UsageError(
                f"no check of the kind `{name}` waits for a decision",
                "`decide DIR` lists the kinds",
            )
        chosen = [kind for kind in undecided if "all" in names or kind.name in names]
        who = reviewer or getpass.getuser()
        try:
            count = decide_kinds(review, chosen, accept=accept, comment=comment, reviewer=who)
        except Mistyped as error:
            raise UsageError(str(error), "shorten --comment") from error
        summary = f"{counted(count, 'check')} {'accepted' if accept else 'rejected'}"
        show_sentences((summary, write_grades(review)))


def adjust(
    folder: Folder,
    student: Annotated[
        str, typer.Argument(help="Submission, email, number or full name.", show_default="list all")
    ] = "",
    criterion: Annotated[
        str, typer.Argument(help="Criterion ID.", show_default="list this student")
    ] = "",
    points: Annotated[str, typer.Option(metavar="POINTS", help="Give these points.")] = "",
    waive: Annotated[bool, typer.Option("--waive", help="Give full points.")] = False,
    excuse: Annotated[
        bool, typer.Option("--excuse", help="Leave the criterion out of the total.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Remove the adjustment.")] = False,
    file: Annotated[
        Path | None,
        typer.Option("--from", help="CSV: student, criterion, points or action, comment."),
    ] = None,
    comment: Annotated[str, typer.Option(help="Why (visible to students).")] = "",
    reviewer: Reviewer = "",
) -> None:
    """Adjust the points of a criterion by hand, or list adjustments."""
    from reports.review.adjusting import Adjusting, Refused, TypedAdjustment, read_changes

    typed = {"waive": waive, "excuse": excuse, "undo": undo}
    actions = [name for name, chosen in typed.items() if chosen]
    requested = []
    if file is not None:
        if student or actions or points or comment:
            raise UsageError("--from goes with DIR alone", f"the rest is in {file}")
        requested = read_changes(existing(file, "a CSV"))
    elif criterion:
        requested = [TypedAdjustment(student, criterion, points, " ".join(actions), comment)]
    elif actions or points or comment:
        raise UsageError("no criterion is named", "adjust DIR STUDENT CRITERION")
    with read_store(folder) as store:
        adjusting = Adjusting(store)
        if not requested:
            show_adjustments(adjusting.listed(student))
            return
        task = stored_assignment(store)
        try:
            show_sentences(adjusting.adjust(requested, reviewer or getpass.getuser()))
        except Refused as error:
            show_sentences(error.others)
            raise
    _write_files(folder, task)


def comment(
    folder: Folder,
    student: Annotated[
        str, typer.Argument(help="Submission, email, number or full name.", show_default="list all")
    ] = "",
    comment: Annotated[str, typer.Option(help="What the student reads.")] = "",
    check: Annotated[
        str,
        typer.Option(
            help="Comment on everyone who got this check's hint.", show_default="one only"
        ),
    ] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Withdraw the newest comment.")] = False,
    reviewer: Reviewer = "",
) -> None:
    """Comment on one student or on everyone who made the same mistake, or list comments."""
    from reports.review.commenting import comment as store_comment
    from reports.review.commenting import find_submission, withdraw

    if (undo and (comment or check)) or ((undo or comment) and not student):
        problem = "give a student and --comment; --undo goes without a text"
        raise UsageError(problem, "comment DIR STUDENT --comment TEXT")
    who = reviewer or getpass.getuser()
    with read_store(folder) as store:
        name = find_submission(store, student) if student else ""
        if not (undo or comment):
            show_comments(row for row in store.comments().shown() if name in ("", row.submission))
            return
        task = stored_assignment(store)
        row = Comment(name, who, comment)
        show_sentences((withdraw(store, name, who) if undo else store_comment(store, row, check),))
    _write_files(folder, task)


def _write_files(folder: Path, task: Assignment) -> None:
    try:
        with reopen_store(folder) as store:
            write_course(store, task=task, out=folder, named=())
    except StorageError as error:
        problem = f"{error}; the change is stored, but not in all files of {folder} yet"
        raise StorageError(problem, "then run the same command again") from error


def release(out: Out = Path("out"), undo: Undo = False, reviewer: Reviewer = "") -> None:
    """Release delayed criteria to students."""
    with reopen_store(out) as store:
        task = stored_assignment(store)
        who = reviewer or getpass.getuser()
        show_sentences(release_criteria(store, who, task=task, out=out, released=not undo))


def name_mistake(
    folder: Folder,
    student: Annotated[str, typer.Argument(help="A submission that has the mistake.")],
    check: Annotated[str, typer.Argument(help="The check that fails, as on the course page.")],
    hint: Annotated[str, typer.Option(help="What students read.", prompt=True)],
) -> None:
    """Give a hint to failures without a named mistake; the next regrade shows it."""
    if not 0 < len(hint.strip()) <= LONGEST_HINT:
        raise UsageError(f"a hint has 1 to {LONGEST_HINT:,} characters", "write it with --hint")
    with read_store(folder) as store:
        generation, failures = store.published, Failures()
        names = search(store, generation, student)
        if len(names) > 1:
            raise UsageError(f"`{student}` may be {', '.join(names)}", "name one submission")
        for result in store.results(generation):
            failures.add(result)
        group, name = failures.find(names[0], check), _assignment_of(store, names[0])
    file = add_hint(
        load_assignment(name).folder,
        Hint(check=check, observed=group.observed, says=hint.strip()),
    )
    count = len(group.submissions)
    show_sentences(
        (
            f"{count} submission{' fails' if count == 1 else 's fail'} this way: {group.observed}",
            f"The hint is in {file}. To show it: `regrade {name} --out {folder}`, then --publish",
        )
    )


def _assignment_of(store: Store, submission: str) -> str:
    """Return the name or the folder of the assignment by which a submission was graded."""
    return assignment_in(_member(store, submission).cache_key.options)


def _member(store: Store, submission: str) -> Member:
    members = store.members()
    return next(member for member in members if member.submission == submission)


def plant(
    folder: Folder,
    student: Annotated[str, typer.Argument(help="Submission, email, number or full name.")],
    name: Annotated[str, typer.Argument(help="Name of the example, such as `right-sparse`.")],
    why: Annotated[str, typer.Option(help="What the example shows.", prompt=True)],
) -> None:
    """Turn a submission into a planted example that expects its current points."""
    from graders.audit.examples import plant as plant_in
    from reports.review.commenting import find_submission

    with read_store(folder) as store:
        submission = find_submission(store, student)
        member = _member(store, submission)
        # Without people's decisions: `validate` cannot repeat them, but it can expect adjustments.
        graded = store.as_graded(submission, member.cache_key.address)
        result = adjusted(graded, store.adjustments().of(submission))
        task = _assignment_of(store, submission)
    place = plant_in(load_assignment(task), name, result, why)
    show_sentences(
        (
            f"{place} has the student's files; `expected.toml` says what they lose",
            f"To compare the checks with it: `validate {task}`",
        )
    )


def requests(
    folder: Folder,
    number: Annotated[int, typer.Argument(help="A request's number.", show_default="list all")] = 0,
    files: Annotated[
        list[Path] | None,
        typer.Option("--from", help="File with a student's request; repeatable."),
    ] = None,
    grant: Annotated[
        bool, typer.Option("--grant", help="Grant it; this changes no points.")
    ] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Reject it.")] = False,
    answer: Annotated[bool, typer.Option("--answer", help="Reply, but keep it open.")] = False,
    comment: Annotated[str, typer.Option(help="What the student reads.")] = "",
    save: Annotated[Path | None, typer.Option(help="Write the attachment to this file.")] = None,
    reviewer: Reviewer = "",
) -> None:
    """List regrade requests, import new ones, or reply to one."""
    flags = {"granted": grant, "rejected": reject, "answered": answer}
    answers = [kind for kind in ANSWERS if flags[kind]]
    if len(answers) > 1 or bool(answers) != bool(comment) or ((answers or save) and not number):
        raise UsageError(
            "a reply is a request's number, one of --grant, --reject and --answer, and a --comment",
            "requests DIR NUMBER --grant --comment TEXT",
        )
    # A list is also wanted while a grading is running.
    opened = reopen_store if files or answers else read_store
    with opened(folder) as store:
        trail, task = store.requests(), stored_assignment(store)
        sent = [(file, read_request(file, store, task)) for file in files or ()]
        for file, message in sent:
            ending = "" if trail.add(message.request, message.content) else " is stored already"
            show_sentences((f"{file}: {_about(message.request)}{ending}",))
        if not number:
            show_requests(trail.all())
        for request in _numbered(trail, number):
            if save is not None:
                _save_attachment(trail, request, save)
            elif not answers:
                show_request(request)
            for kind in answers:
                trail.reply(number, Reply(kind, comment, reviewer or getpass.getuser()))
                show_sentences((_replied(request, kind),))
            if grant:
                show_sentences(_next_steps(request, folder, store))
        if sent or answers:
            write_course(store, task=task, out=folder, named=())


def _numbered(trail: Requests, number: int) -> list[Request]:
    matches = [request for request in trail.all() if request.number == number]
    if number and not matches:
        raise UsageError(f"there is no request {number}", "`requests DIR` lists them")
    return matches


def _save_attachment(trail: Requests, request: Request, file: Path) -> None:
    if not request.attached:
        raise UsageError(f"request {request.number} has no attachment", "leave out --save")
    if file.exists():
        raise UsageError(f"{file} exists", "choose another file")
    content = trail.attachment(request.number)
    write_whole(file, content, remedy="choose another file")
    show_sentences((f"{request.attached} is saved as {file}",))


def _replied(request: Request, answer: str) -> str:
    before = "" if request.is_open else f"; it was {request.state} before"
    return f"{request.number}: {_about(request)}: {answer}{before}"


def _about(request: Request) -> str:
    return f"{request.submission}, {request.criterion}"


def _next_steps(request: Request, folder: Path, store: Store) -> Iterator[str]:
    """Yield the possible next steps after a request is granted."""
    name = _assignment_of(store, request.submission)
    yield "What you can do now:"
    yield (
        f"- change this student's points: `adjust {folder} {request.submission} "
        f"{request.criterion} --points POINTS --comment TEXT`"
    )
    yield (
        f"- if a check is wrong: `plant {folder} {request.submission} NAME --why TEXT` makes the "
        f"case an example that expects these points; fix the check and run `validate {name}`"
    )
    yield (
        f"- then `regrade {name} --out {folder}` lists everyone else whose points change; undo the "
        "adjustment if the checks now give this student as much"
    )
