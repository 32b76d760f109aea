"""Write the people of a submission as one text in `Submission.student`, and read it back.

    Ada Lovelace <ada@example.edu> (sid 1815) (section A); Bob Babbage <bob@example.edu>

Students choose their names. The signs that separate people, and those that separate a name from an
email address or a number, are removed from names so that nobody can claim somebody else's number.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

BETWEEN = "; "
_SIGNS = re.compile(r"[<>();\x00-\x1f\x7f]+")
# Matches `Ada Lovelace <ada@example.edu> (sid 1815)`.
_WRITTEN = re.compile(
    r"(?P<name>[^<>();]*?)"
    r"(?: ?<(?P<email>[^<>();]+)>)?(?: ?\(sid (?P<sid>[^<>();]+)\))?"
    r"(?: ?\(canvas (?P<canvas>[^<>();]+)\))?"
    r"(?: ?\(section (?P<section>[^<>();]+)\))?"
    r"(?: ?\((?P<dropped>dropped)\))?"
)


@dataclass(frozen=True, slots=True)
class Person:
    """A student as another system knows them; unknown fields are empty.

    `canvas` is the user's number in Canvas; `sid` is the number assigned by the school. `dropped`
    is the word itself for a student who left the course.
    """

    name: str
    email: str = ""
    sid: str = ""
    canvas: str = ""
    section: str = ""
    dropped: str = ""

    def __str__(self) -> str:
        parts = [_plain(self.name)]
        parts += [f"<{_plain(self.email)}>"] if _plain(self.email) else []
        parts += [f"(sid {_plain(self.sid)})"] if _plain(self.sid) else []
        parts += [f"(canvas {_plain(self.canvas)})"] if _plain(self.canvas) else []
        parts += [f"(section {_plain(self.section)})"] if _plain(self.section) else []
        parts += ["(dropped)"] if self.dropped else []
        return " ".join(part for part in parts if part)


def student_text(people: Iterable[Person]) -> str:
    """Return everyone who submitted together as one text."""
    return BETWEEN.join(filter(None, map(str, people)))


def people_in(student: str) -> tuple[Person, ...]:
    """Return the people in the text; if it has another form, one person with that name."""
    matches = [_WRITTEN.fullmatch(part) for part in student.split(BETWEEN)]
    if not all(matches):
        return (Person(student),)
    return tuple(Person(**match.groupdict(default="")) for match in matches if match)


def all_dropped(student: str) -> bool:
    """Return whether everyone who submitted it has left the course."""
    return "(dropped)" in student and all(person.dropped for person in people_in(student))


def name_key(text: str) -> str:
    """Return the name for comparison, without case, spacing and the encoding of accents."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


def folded(text: str) -> str:
    """Return a text as it is searched: in any case, without accents."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


def _plain(text: str) -> str:
    return " ".join(_SIGNS.sub(" ", text).split())
