"""Annotate a student's lines in GitHub: workflow commands, one per line.

    ::error file=src/attention.py,line=7,title=Causal mask::IndexError: ...

The runner obeys every line that begins with `::`, so a student's text must not begin such a line or
end it early: control characters are made visible, then the format's special characters are encoded.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graders.model import CheckResult, CriterionResult, Result
from reports.exports.findings import failures, points_in_words, where_ended
from reports.text import LINE_LIMIT, line, prose

SHOWN = 10  # GitHub shows at most this many errors per step
DATA = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
PROPERTY = (*DATA, (":", "%3A"), (",", "%2C"))


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, which is named as in the repository."""

    file: str
    line: int


def annotations(result: Result, files: Mapping[str, str]) -> Iterator[str]:
    """Yield the commands that show what failed where, and the points.

    `files` maps the student's files from their names in tracebacks to those in the repository.
    No other file is ever named.
    """
    places = _by_place(result, files)
    for place, found in list(places.items())[:SHOWN]:
        yield _error(place, found)
    if len(places) > SHOWN:
        yield f"::notice::{len(places) - SHOWN} more lines are named in the summary"
    yield f"::notice title={_property(line(result.title))}::{_data(points_in_words(result))}"


def place_of(found: CheckResult, files: Mapping[str, str]) -> Place | None:
    """Return the student's line at which a check ended, or None if it is not a student's line."""
    file, number = where_ended(found) or ("", 0)
    named = files.get(file, "")
    # A name with invisible characters cannot be used, and once made visible it names no file.
    return Place(named, number) if named and line(named, len(named)) == named else None


Found = tuple[CriterionResult, CheckResult]


def _by_place(result: Result, files: Mapping[str, str]) -> dict[Place, list[Found]]:
    """Group failed checks by line: twenty checks that fail at the same line give one annotation."""
    places: dict[Place, list[Found]] = {}
    for graded, found in failures(result):
        place = place_of(found, files)
        if place is not None:
            places.setdefault(place, []).append((graded, found))
    return places


def _error(place: Place, all_found: list[Found]) -> str:
    graded, found = all_found[0]
    more = f"and {len(all_found) - 1} more checks end here" if len(all_found) > 1 else ""
    texts = (found.check.description, found.message, found.hint, more)
    message = "\n".join(prose(text) for text in texts if text)
    title = line(graded.criterion.title, LINE_LIMIT)
    where = f"file={_property(place.file)},line={place.line}"
    return f"::error {where},title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return _encoded(text, DATA)


def _property(text: str) -> str:
    return _encoded(text, PROPERTY)


def _encoded(text: str, table: tuple[tuple[str, str], ...]) -> str:
    for sign, code in table:
        text = text.replace(sign, code)
    return text
