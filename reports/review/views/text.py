"""Show an answer as HTML that displays every character, obeys none, and marks the evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from markupsafe import Markup

from reports.text import cut_off, few_marks, is_unseen
from submissions.escaping import escaped

ANSWER_LIMIT = 20_000
EXCERPT_LIMIT = 600

_JOINERS = "\u200c\u200d"  # emoji and several scripts need them; invisible in Latin text
_KEPT = "\n\t\u00a0\u202f"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage of the answer, and its label: the rubric item that it supports."""

    start: int
    end: int
    label: str


def answer_html(text: str, evidence: Iterable[Evidence] = (), limit: int = ANSWER_LIMIT) -> Markup:
    """Return the answer with the evidence marked, cut at `limit` characters."""
    shown, rest = text[:limit], len(text) - limit
    pieces = [_piece(shown[start:end], labels) for start, end, labels in _spans(shown, evidence)]
    if rest > 0:
        pieces.append(Markup('<span class="cut">{}</span>').format(cut_off(rest)))
    return Markup("").join(pieces)


def excerpt_html(text: str) -> Markup:
    """Return the beginning of an answer, for a list."""
    return answer_html(text.strip(), limit=EXCERPT_LIMIT)


def visible(text: str) -> Markup:
    r"""Return HTML of the text in which invisible characters are shown as a marked `\u202e`."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return Markup("{}").format(text)
    pieces = (_run(hidden, "".join(run)) for hidden, run in _runs(text))
    return Markup("").join(pieces)


def moment(decided_at: str) -> Markup:
    """Return the time of a decision, to the minute."""
    shown = f"{decided_at[:10]} {decided_at[11:16]} UTC"
    return Markup('<time datetime="{}">{}</time>').format(decided_at, shown)


def _spans(text: str, evidence: Iterable[Evidence]) -> Iterable[tuple[int, int, list[str]]]:
    """Yield the text in pieces, each with the labels that cover it."""
    spans = [replace(span, end=min(span.end, len(text))) for span in evidence]
    borders = {0, len(text), *(span.start for span in spans), *(span.end for span in spans)}
    for start, end in pairwise(sorted(place for place in borders if 0 <= place <= len(text))):
        over = {span.label for span in spans if span.start <= start and end <= span.end}
        yield start, end, sorted(over)


def _piece(text: str, labels: Sequence[str]) -> Markup:
    if not labels:
        return visible(text)
    note = Markup('<span class="away"> suggested: </span>') + ", ".join(labels)
    return Markup('<mark>{}<sup class="for">{}</sup></mark>').format(visible(text), note)


def _runs(text: str) -> Iterable[tuple[bool, Iterable[str]]]:
    around = zip(" " + text, text, text[1:] + " ", strict=False)
    hidden = [_hides(char, before, after) for before, char, after in around]
    shown = zip(hidden, few_marks(text), strict=True)
    for key, run in groupby(shown, key=lambda pair: pair[0]):
        yield key, (char for _, char in run)


def _hides(char: str, before: str, after: str) -> bool:
    if char in _JOINERS:
        return before.isascii() or after.isascii()
    if char == "\r" and after == "\n":
        return False
    return char not in _KEPT and is_unseen(char)


def _run(hidden: bool, run: str) -> Markup:
    if not hidden:
        return Markup("{}").format(run)
    html = Markup('<span class="escape" title="an invisible character">{}</span>')
    return html.format("".join(map(escaped, run)))
