"""An answer as HTML that shows every character and obeys none, with the evidence marked."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from markupsafe import Markup

from reports.text import number

ANSWER_LIMIT = 20_000
EXCERPT_LIMIT = 600

# Controls, formats (right-to-left overrides, zero-width letters), halves of pairs, other breaks.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"  # emoji and several scripts need them; between Latin letters they hide
_KEPT = "\n\t\u00a0\u202f"
_MARKS_IN_A_ROW = 4  # more accents than any script stacks only paint over the lines above


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place in the answer, and its label: the line of the rubric that it speaks for."""

    start: int
    end: int
    label: str


def answer_html(text: str, evidence: Iterable[Evidence] = (), limit: int = ANSWER_LIMIT) -> Markup:
    """The answer with the sentences marked that say something, cut at `limit` characters."""
    shown, rest = text[:limit], len(text) - limit
    pieces = [_piece(shown[start:end], labels) for start, end, labels in _spans(shown, evidence)]
    if rest > 0:
        more = f" … ({rest:,} more characters)"
        pieces.append(Markup('<span class="cut">{}</span>').format(more))
    return Markup("").join(pieces)


def excerpt_html(text: str) -> Markup:
    """The beginning of an answer, for a list."""
    return answer_html(text.strip(), limit=EXCERPT_LIMIT)


def visible(text: str) -> Markup:
    r"""HTML of the text in which what draws nothing stands as `\u202e`, marked as such."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return Markup("{}").format(text)
    pieces = (_run(hidden, "".join(run)) for hidden, run in _runs(text))
    return Markup("").join(pieces)


def points(value: float, *, sign: bool = False) -> str:
    """Points as people write them, with their word."""
    shown = f"+{number(value)}" if sign and value > 0 else number(value)
    return f"{shown} {'point' if abs(value) == 1 else 'points'}"


def moment(decided_at: str) -> Markup:
    """When something was decided, to the minute."""
    shown = f"{decided_at[:10]} {decided_at[11:16]} UTC"
    return Markup('<time datetime="{}">{}</time>').format(decided_at, shown)


def _spans(text: str, evidence: Iterable[Evidence]) -> Iterable[tuple[int, int, list[str]]]:
    """The text in pieces, each with the labels of what lies over it."""
    found = [replace(each, end=min(each.end, len(text))) for each in evidence]
    borders = {0, len(text), *(each.start for each in found), *(each.end for each in found)}
    for start, end in pairwise(sorted(place for place in borders if 0 <= place <= len(text))):
        over = {each.label for each in found if each.start <= start and end <= each.end}
        yield start, end, sorted(over)


def _piece(text: str, labels: Sequence[str]) -> Markup:
    if not labels:
        return visible(text)
    said = Markup('<span class="away"> suggested: </span>') + ", ".join(labels)
    return Markup('<mark>{}<sup class="for">{}</sup></mark>').format(visible(text), said)


def _runs(text: str) -> Iterable[tuple[bool, Iterable[str]]]:
    around = zip(" " + text, text, text[1:] + " ", strict=False)
    hidden = [_hides(char, before, after) for before, char, after in around]
    shown = zip(hidden, _few_marks(text), strict=True)
    for key, run in groupby(shown, key=lambda pair: pair[0]):
        yield key, (char for _, char in run)


def _few_marks(text: str) -> Iterable[str]:
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        yield char if marks <= _MARKS_IN_A_ROW else ""


def _hides(char: str, before: str, after: str) -> bool:
    if char in _JOINERS:
        return before.isascii() or after.isascii()
    if char == "\r" and after == "\n":
        return False
    category = unicodedata.category(char)
    return char not in _KEPT and (category in _UNSEEN or (category == "Zs" and char != " "))


def _run(hidden: bool, run: str) -> Markup:
    if not hidden:
        return Markup("{}").format(run)
    # As Python writes it: every student of these courses reads it, and every font has it.
    escaped = "".join(char.encode("unicode_escape").decode("ascii") for char in run)
    return Markup('<span class="escape" title="a character that draws nothing">{}</span>').format(
        escaped
    )
