"""Decide which part a line belongs to where no label says it.

Without labels a question of one part takes everything. Where one value and a free text are asked
for, the first line that looks like the value is the value, and the student is told so.
"""

import re
from collections.abc import Sequence

from graders.written.plain import NOTATION, is_empty, is_like, without_condition
from graders.written.split import FENCE, LOOKED_AT, Given, Line, Split, listed, paragraphs_of
from graders.written.wanted import Wanted

_ITEM = re.compile(r"^\s*(?:[-*+]|\(?(?:\d{1,2}|[a-z])[.)])\s+(?=\S)")
_MATH = re.compile(r"\$+([^$]{1,300})\$+")
_VECTOR = re.compile(
    r"[\[(]\s{0,9}[-+−]?[\d.]{1,20}(?:\s{0,9}[,;]\s{0,9}|\s{1,9})[-+−\d.,; ]{1,200}[\])]"
    r"|\\begin\{[bp]matrix\}.{1,200}?\\end\{[bp]matrix\}"
)
_GROUPED = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?!\d|,\d)")
_BETWEEN = re.compile(r"\s*(?:[,;/|]|\band\b|(?<=\d)\s(?=\d))\s*")
_WORDS = re.compile(r"^[^\d=:+\-−.]*(?=[\d+\-−.])")
_EQUATION = re.compile(r"\s{0,9}[A-Za-z]\w{0,9}\s{0,9}=")
# `q = β(k_a + k_b)` up to where the sentence goes on.
_STATED = re.compile(
    r"(?<![\w$\\{(])([A-Za-z]\w{0,3}\s{0,9}(?:=|≈)\s{0,9}[^=≈\n]{1,200}?)"
    rf"(?=,?\s+(?!(?:{'|'.join(sorted(NOTATION - {'for', 'times'}))})\b)[a-z]{{3,}}\b"
    r"|\s+(?:so|as|is|if|in|to)\b|[.;,]?\s*$|[.;]\s)"
)
_ASKED = re.compile(r"[qQM]\w{0,3}\s")  # what such questions ask for: a query, a matrix


def place(loose: Sequence[Line], wanted: Wanted, split: Split) -> None:
    """Decide what belongs to which part where no label says it."""
    paragraphs = list(paragraphs_of(loose))
    if not paragraphs or is_empty("\n".join(line for _, line in loose)):
        return
    missing = [part for part in wanted.machine if part not in split.parts]
    if len(wanted.parts) == 1:
        if missing or not wanted.machine:
            split.add(wanted.parts[0], _alone(loose, wanted, split), wanted)
    elif wanted.kind == "table" and len(missing) < 2:
        _place_beside_table(loose, wanted, split, missing)
    elif len(wanted.machine) > 1 and missing == list(wanted.machine):
        _place_in_order(paragraphs, wanted, split)
    elif len(missing) == 1 and len(wanted.machine) == 1:
        _place_value_and_text(paragraphs, wanted, split)
    else:
        _place_text(paragraphs, wanted, split)


def _alone(loose: Sequence[Line], wanted: Wanted, split: Split) -> Sequence[Line]:
    """The lines of the only part: of a value with words around it, the one paragraph that is it."""
    paragraphs = list(paragraphs_of(loose))
    if wanted.kind not in ("formula", "number", "vector") or len(paragraphs) < 2:
        return loose
    values = [each for each in paragraphs if _is_value(each, wanted)]
    if len(values) != 1:
        return loose
    split.notes.append(
        f"line {values[0][0][0]} was read as {wanted.id}'s `{wanted.parts[0]}`, and nothing else"
    )
    return values[0]


def _is_value(paragraph: Sequence[Line], wanted: Wanted) -> bool:
    """Whether a paragraph is a value and not a sentence that begins with one."""
    _, words = without_condition(" ".join(line for _, line in paragraph))
    return _value_in([paragraph], wanted) == (0, len(paragraph)) and len(words.split()) < 4


def _place_beside_table(
    loose: Sequence[Line], wanted: Wanted, split: Split, missing: Sequence[str]
) -> None:
    """A table and what is said of it, without labels: its reader gets both, the text too."""
    paragraphs = list(paragraphs_of(loose))
    for part in missing:
        split.add(part, loose, wanted)
    if not missing or len(paragraphs) > 1:
        _place_text(paragraphs, wanted, split)


def _place_text(paragraphs: Sequence[Sequence[Line]], wanted: Wanted, split: Split) -> None:
    """What is left is explanation; without a place for one it is told and not read."""
    lines = [line for paragraph in paragraphs for line in (*paragraph, (0, ""))]
    if not lines:
        return
    if wanted.text and wanted.text not in wanted.machine:
        split.add(wanted.text, lines, wanted)
    elif any(line.strip() for _, line in lines):
        split.notes.append(f"what begins in line {lines[0][0]} belongs to no part of {wanted.id}")


def _place_value_and_text(
    paragraphs: Sequence[Sequence[Line]], wanted: Wanted, split: Split
) -> None:
    """One value and a text, both without a label: the first line of its kind is the value."""
    part, labelled = wanted.machine[0], wanted.text in split.parts
    sentence = wanted.kind in ("choice", "true_false")
    taken = len(paragraphs[0]) if labelled else int(sentence)
    at, size = _value_in(paragraphs, wanted) or (0, taken)
    if size == 0 and (formula := _embedded(paragraphs, wanted)):
        split.add(part, [formula], wanted)
        _note_reading(formula[0], wanted, split)
        return _place_text(paragraphs, wanted, split)
    if size == 0:
        split.notes.append(
            f"no line of {wanted.id} looks like its `{part}`, so all was read as its "
            f"`{wanted.text}`: begin the line with `{part}:`"
        )
        return _place_text(paragraphs, wanted, split)
    value, rest = paragraphs[at][:size], paragraphs[at][size:]
    split.add(part, value, wanted)
    if wanted.kind in ("choice", "choices", "true_false") and not _is_short(value):
        rest = paragraphs[at]  # `False, because ...`: the reason stands on the same line
    others = [*paragraphs[:at], rest, *paragraphs[at + 1 :]]
    if not labelled and any(others):
        _note_reading(value[0][0], wanted, split)
    return _place_text(others, wanted, split)


def _value_in(paragraphs: Sequence[Sequence[Line]], wanted: Wanted) -> tuple[int, int] | None:
    """The paragraph that begins with a value, and how many of its lines that takes."""
    for at, paragraph in enumerate(paragraphs):
        for size in (len(paragraph), 1):
            lines = [line for _, line in paragraph[:size] if not FENCE.match(line)]
            if lines and all(is_like(line, wanted.kind) for line in lines):
                return at, size
    return None


def _embedded(paragraphs: Sequence[Sequence[Line]], wanted: Wanted) -> Line | None:
    """The one formula or vector in a sentence: `Let $q = ...$ for large $c$.`"""
    if wanted.kind not in ("formula", "vector"):
        return None
    lines = [line for paragraph in paragraphs for line in paragraph]
    vectors = _found(_VECTOR, lines) if wanted.kind == "vector" else []
    found = vectors or _found(_MATH, lines) or _stated(lines, wanted)
    equations = [each for each in found if _EQUATION.match(each[1])]
    one = equations or found
    return one[0] if len(one) == 1 else None


def _stated(lines: Sequence[Line], wanted: Wanted) -> list[Line]:
    """Equations among the words, those for what is asked where there are any."""
    found = [each for each in _found(_STATED, lines) if is_like(each[1], wanted.kind)]
    return [each for each in found if _ASKED.match(each[1])][:1] or found


def _found(written: re.Pattern[str], lines: Sequence[Line]) -> list[Line]:
    """All that a pattern finds, with the lines it stands in."""
    return [(n, each) for n, line in lines for each in written.findall(line[: 10 * LOOKED_AT])]


def _is_short(lines: Sequence[Line]) -> bool:
    """Whether a choice stands there alone, without a reason on the same line."""
    return sum(len(line.split()) for _, line in lines) <= 2


def _note_reading(number: int, wanted: Wanted, split: Split) -> None:
    part, text = wanted.machine[0], wanted.text
    split.notes.append(
        f"line {number} was read as `{part}` and the rest as `{text}`: to say it yourself, begin "
        f"them with `{part}:` and `{text}:`"
    )


def _place_in_order(paragraphs: Sequence[Sequence[Line]], wanted: Wanted, split: Split) -> None:
    """Several values without labels: one a line (or paragraph) in the order of the question."""
    lines = [line for paragraph in paragraphs for line in paragraph]
    count = len(wanted.machine)
    if wanted.kind == "number" and len(lines) == 1:
        lines = _numbers_of(lines[0])
    groups = [[line] for line in lines] if len(lines) == count else [list(p) for p in paragraphs]
    if len(groups) != count:
        names = " and ".join(f"`{part}: ...`" for part in wanted.machine)
        split.notes.append(f"{wanted.id} has several parts: write {names}, each on its own line")
        return _place_text(paragraphs, wanted, split) if wanted.text else None
    for part, (first, *rest) in zip(wanted.machine, groups, strict=True):
        split.add(part, [(first[0], _ITEM.sub("", first[1])), *rest], wanted)
    split.notes.append(
        f"the lines of {wanted.id} have no names, so they were read in this order: "
        f"{listed(wanted.machine)}"
    )
    return None


def _numbers_of(line: Line) -> list[Line]:
    """The values of a line such as `6,920, 872 and 1821`, each without the words before it."""
    text = _GROUPED.sub(lambda found: found[0].replace(",", ""), line[1][:LOOKED_AT])
    pieces = (_WORDS.sub("", piece).strip() for piece in _BETWEEN.split(text.strip(" ()[]{}.")))
    return [(line[0], piece) for piece in pieces if piece]


def detach_conditions(wanted: Wanted, split: Split) -> None:
    """`β(k_a+k_b), where β is large`: the formula is the part before the words."""
    if wanted.kind not in ("formula", "vector"):
        return
    for part in wanted.machine:
        given = split.parts.get(part, [])
        for at, each in enumerate(given):
            value, words = without_condition(each.text)
            if words:
                given[at] = Given(value, each.line)
                if wanted.text:
                    _place_text([[(each.line, words)]], wanted, split)


def join_text(wanted: Wanted, split: Split) -> None:
    """What was said in several places is one text."""
    given = sorted(split.parts.get(wanted.text, ()), key=lambda each: each.line)
    if len(given) > 1 and wanted.text not in wanted.machine:
        split.parts[wanted.text] = [Given("\n\n".join(each.text for each in given), given[0].line)]
