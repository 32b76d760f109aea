"""Write a gradebook that Canvas imports: the roster with one column of grades."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from graders.errors import UsageError
from reports.exports.entries import Entry, entries, lower_maxima, table
from reports.exports.export import Course, Export
from reports.exports.gradebook import EXPORT_IT, POINTS, Gradebook, read_gradebook
from reports.grades import number_cell

NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)?")


def canvas_csv(course: Course) -> Export:
    """Return the roster with grades; students are never guessed, and no grade is an empty cell."""
    if course.roster is None:
        raise UsageError("canvas: there is no --roster", EXPORT_IT)
    roster, lines = read_gradebook(course.roster), list(entries(course))
    column = roster.column(course.title)
    claims, problems = _claims(roster, lines)
    grades = {row: claimed[0] for row, claimed in claims.items() if len(claimed) == 1}
    rows = (_row(roster, row, grades.get(row)) for row in range(len(roster.students)))
    text = table(
        (*roster.who, column or course.title),
        (_points_possible(roster, lines), *rows),
        delimiter=roster.delimiter,
        bom=roster.bom,
    )
    problems += [
        _contested(roster, row, claimed) for row, claimed in claims.items() if len(claimed) > 1
    ]
    notes = (*_notes(roster, course.title, column, grades), *_other_maximum(roster, column, lines))
    return Export(text, (*notes, *lower_maxima(lines)), tuple(problems))


def _claims(
    roster: Gradebook, exported: Sequence[Entry]
) -> tuple[dict[int, list[Entry]], list[str]]:
    """Return the entries of each row, and a sentence for each entry without exactly one row."""
    claims: dict[int, list[Entry]] = defaultdict(list)
    problems = []
    for entry in exported:
        rows = roster.matches(entry.person)
        if len(rows) == 1:
            claims[rows[0]].append(entry)
        else:
            problems.append(_unmatched(roster, entry, rows))
    return claims, problems


def _unmatched(roster: Gradebook, entry: Entry, rows: Sequence[int]) -> str:
    who = f"{entry.submission}: {entry.person} is"
    ungraded = entry.grade.final is None
    then = "there is no grade to enter yet" if ungraded else "enter this grade by hand"
    if not rows:
        return f"{who} not in {roster.file}; {then}"
    names = ", ".join(_named(roster, row) for row in rows)
    return f"{who} more than one in {roster.file} ({names}); {then}"


def _contested(roster: Gradebook, row: int, claimed: Sequence[Entry]) -> str:
    names = ", ".join(entry.submission for entry in claimed)
    return f"{_named(roster, row)} has more than one submission ({names}); enter the right one"


def _named(roster: Gradebook, row: int) -> str:
    student = roster.students[row]
    return f"{student['Student']} (ID {student['ID']})"


def _notes(
    roster: Gradebook, title: str, column: str | None, grades: Mapping[int, Entry]
) -> Iterator[str]:
    if column is None:
        names = ", ".join(f"`{name}`" for name in roster.columns) or "none"
        yield f"{roster.file} has no column `{title}` but {names}: Canvas will ask; or pass --title"
    empty = sum(entry.grade.final is None for entry in grades.values())
    missing = len(roster.students) - len(grades)
    yield (
        f"{len(grades) - empty} of {len(roster.students)} in the roster have a grade; "
        f"{empty} submitted but have none, {missing} have no matching submission: "
        "their cells are empty"
    )


def _other_maximum(
    roster: Gradebook, column: str | None, exported: Sequence[Entry]
) -> Iterator[str]:
    """Yield a note if Canvas has a different maximum, so that 15 of 20 would become 15 of 100."""
    points, most = roster.possible.get(column or "", ""), number_cell(_maximum(exported))
    if not most or not NUMBER.fullmatch(points):
        return
    if float(points.replace(",", ".")) != float(most):
        yield f"`{column}` has {points} points in Canvas and {most} here: grades go in as they are"


def _maximum(exported: Sequence[Entry]) -> float | None:
    """Return the highest maximum of any entry; it varies if only some criteria were graded."""
    return max((entry.grade.maximum for entry in exported), default=None)


def _points_possible(roster: Gradebook, exported: Sequence[Entry]) -> list[str]:
    """The second row."""
    blanks = dict.fromkeys(roster.who, "") | {"Student": f"    {POINTS}"}
    return [*blanks.values(), number_cell(_maximum(exported))]


def _row(roster: Gradebook, index: int, entry: Entry | None) -> list[str]:
    who = [roster.students[index].get(name, "") for name in roster.who]
    return [*who, number_cell(entry.grade.final if entry else None)]
