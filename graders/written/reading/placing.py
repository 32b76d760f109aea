"""Decide which part an unlabeled line belongs to.

In a question with one part, everything belongs to it. If one value and a free text are required,
the first line that looks like the value is the value, and the student is told so.
"""

import re
from collections.abc import Sequence

from graders.written.reading.plain import (
    LARGE,
    VANISHES,
    has_words,
    is_empty,
    is_like,
    without_condition,
)
from graders.written.reading.question_parts import QuestionParts, words_of
from graders.written.reading.split import (
    FENCE,
    LOOKED_AT,
    Line,
    Split,
    Value,
    listed,
    paragraphs_of,
)
from graders.written.values.words import split_outside

_ITEM = re.compile(r"^\s*(?:[-*+]|\(?(?:\d{1,2}|[a-z])[.)])\s+(?=\S)")  # `- x` or `(a) x` or `1. x`
_GROUPED = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?!\d|,\d)")  # `6,920`
_BETWEEN = re.compile(r"(?<!\s)\s*(?:[,;/|]|\band\b|(?<=\d)\s(?=\d))\s*")  # `,` or `and` or `1 2`
_AND = re.compile(r"\s+(?:and|und|y|et|e)\s+")
_REASON = re.compile(r"\b(?:because|since|as|while|where|weil|denn|da|car|porque)\b", re.IGNORECASE)
_SENTENCES = re.compile(r"[.!?]\s+[A-Z(]")  # `... so 2^n. With two heads ...`
_WORDS = re.compile(r"^[^\d=:+\-−.]*(?=[\d+\-−.])")  # `about 12`
_MAY_HOLD = {  # what a text contains if it may contain such a value
    "formula": re.compile(
        r"[=≈^*+∑²³⁴ⁿ]|\\[a-z]{2,}|[α-ωΑ-Ω]\s?[(A-Za-z]|[A-Za-z]\s?[α-ω]|\d\s?[A-Za-z(]"
    ),
    "vector": re.compile(r"[\[(].{0,200}\d|k_?\d|zero|null", re.IGNORECASE | re.DOTALL),
    "matrix": re.compile(r"[\[(|].{0,200}\d|[kK]", re.DOTALL),
    "number": re.compile(r"\d"),
    "table": re.compile(r"\d"),
}
_FRAME = re.compile(r"\\(?:begin|end)\{[a-z]+\*?\}|[$`\s]")  # what only encloses formulas
_CALCULATES = re.compile(r"[^\W\d]\w*\s*(?::=|=|≈)|[*+^]")
_READ_AMONG_WORDS = ("formula", "vector", "matrix")  # their verifiers find values in sentences


def place(loose: Sequence[Line], question: QuestionParts, split: Split) -> None:
    paragraphs = list(paragraphs_of(loose))
    if not paragraphs or is_empty("\n".join(line for _, line in loose)):
        return
    missing = [part for part in question.machine if part not in split.parts]
    if len(question.parts) == 1:
        if not missing and question.machine:
            return _place_text(paragraphs, question, split)
        split.add(question.parts[0], _alone(loose, question, split), question)
    elif question.kind == "table" and len(missing) < 2:
        _place_beside_table(loose, question, split, missing)
    elif len(question.machine) > 1 and missing == list(question.machine):
        _place_in_order(paragraphs, question, split)
    elif len(missing) == 1 and len(question.machine) == 1:
        _place_value_and_text(paragraphs, question, split)
    else:
        _place_text(paragraphs, question, split)


def _alone(loose: Sequence[Line], question: QuestionParts, split: Split) -> Sequence[Line]:
    """Return the lines of the only part.

    If a value is among words, these are only the paragraph that is the value.
    """
    paragraphs = list(paragraphs_of(loose))
    if question.kind not in ("formula", "number", "vector") or len(paragraphs) < 2:
        return loose
    values = [paragraph for paragraph in paragraphs if _is_value(paragraph, question)]
    rest = [line for paragraph in paragraphs if paragraph not in values for line in paragraph]
    if len(values) != 1 or _may_hold(rest, question):
        return loose
    split.notes.append(
        f"only line {values[0][0][0]} was read as `{question.parts[0]}` of {question.id}"
    )
    split.leftover += rest
    return values[0]


def _is_value(paragraph: Sequence[Line], question: QuestionParts) -> bool:
    """Return whether a paragraph is a value and not a sentence that begins with one."""
    _, words = without_condition(" ".join(line for _, line in paragraph))
    return _value_in([paragraph], question) == (0, len(paragraph)) and len(words.split()) < 4


def _place_beside_table(
    loose: Sequence[Line], question: QuestionParts, split: Split, missing: Sequence[str]
) -> None:
    """Place an unlabeled table and its explanation: its verifier gets both, as does the text."""
    paragraphs = list(paragraphs_of(loose))
    for part in missing:
        split.add(part, loose, question)
    if not missing or len(paragraphs) > 1:
        _place_text(paragraphs, question, split)


def _place_text(
    paragraphs: Sequence[Sequence[Line]], question: QuestionParts, split: Split
) -> None:
    """Place the rest as explanation; if no part is for explanations, it is noted but not read."""
    lines = [line for paragraph in paragraphs for line in (*paragraph, (0, ""))]
    if not lines:
        return
    if question.text and question.text not in question.machine:
        split.add(question.text, lines, question)
    elif any(_FRAME.sub("", line) for _, line in lines):
        split.notes.append(left_over(lines[0][0], question.id))
        split.leftover += lines
        if any(part not in split.parts for part in question.machine):
            split.unplaced += lines


def left_over(line: int, question: str) -> str:
    """Return the note on text that was not read."""
    return f"the text from line {line} on belongs to no part of {question}"


def _place_value_and_text(
    paragraphs: Sequence[Sequence[Line]], question: QuestionParts, split: Split
) -> None:
    """Place a value and a text, both unlabeled: the first line of its kind is the value."""
    part, labelled = question.machine[0], question.text in split.parts
    sentence = question.kind in ("choice", "true_false")
    taken = len(paragraphs[0]) if labelled else int(sentence)
    at, size = _value_in(paragraphs, question) or (0, taken)
    lines = [line for paragraph in paragraphs for line in (*paragraph, (0, ""))]
    if size and question.kind in _READ_AMONG_WORDS:
        value = paragraphs[at][:size]
        value_lines = set(value)
        if _may_hold([line for line in lines if line not in value_lines], question):
            split.add(
                part, lines, question
            )  # its verifier separates the value from the explanation
            rest = paragraphs[at] if at or _says_more(value, question) else paragraphs[at][size:]
            return _place_text([*paragraphs[:at], rest, *paragraphs[at + 1 :]], question, split)
    if size == 0:
        split.notes.append(
            f"no line of {question.id} looks like its `{part}`, so the text was searched for it; "
            f"begin the line with `{part}:`"
        )
        split.guessed = True
        if question.kind in _READ_AMONG_WORDS:
            split.add(part, lines, question)
        else:
            split.unplaced += lines
        return _place_text(paragraphs, question, split)
    value, rest = paragraphs[at][:size], paragraphs[at][size:]
    split.add(part, value, question)
    is_long = sum(len(line.split()) for _, line in value) > 2
    if question.kind in ("choice", "choices", "true_false") and is_long:
        rest = paragraphs[at]  # `False, because ...`: the reason is on the same line
    elif question.kind in _READ_AMONG_WORDS and _says_more(value, question):
        rest = paragraphs[at]
    remaining = [*paragraphs[:at], rest, *paragraphs[at + 1 :]]
    if not labelled and any(remaining):
        _note_reading(value[0][0], question, split)
    return _place_text(remaining, question, split)


def _may_hold(lines: Sequence[Line], question: QuestionParts) -> bool:
    """Return whether lines next to a value may contain another one."""
    looked_for = _MAY_HOLD.get(question.kind or "")
    text = "\n".join(line for _, line in lines)[: 10 * LOOKED_AT]
    return looked_for is not None and looked_for.search(text) is not None


def _value_in(
    paragraphs: Sequence[Sequence[Line]], question: QuestionParts
) -> tuple[int, int] | None:
    """Return the paragraph that begins with a value, and the number of lines of the value."""
    for at, paragraph in enumerate(paragraphs):
        for size in (len(paragraph), 1):
            lines = [line for _, line in paragraph[:size] if not FENCE.match(line)]
            if lines and all(is_like(line, question.kind) for line in lines):
                return at, size
    return None


def _says_more(value: Sequence[Line], question: QuestionParts) -> bool:
    """Return whether words belong to a value and won't be removed from it as a condition."""
    text = "\n".join(line for _, line in value)
    alone, words = without_condition(text)
    return has_words(alone if words and is_like(alone, question.kind) else text)


def _note_reading(number: int, question: QuestionParts, split: Split) -> None:
    part, text = question.machine[0], question.text
    split.notes.append(
        f"line {number} was read as `{part}` and the rest as `{text}`; to change this, begin "
        f"them with `{part}:` and `{text}:`"
    )


def _place_in_order(
    paragraphs: Sequence[Sequence[Line]], question: QuestionParts, split: Split
) -> None:
    """Place several unlabeled values: one per line (or paragraph), in the question's order."""
    lines = [line for paragraph in paragraphs for line in paragraph]
    count = len(question.machine)
    if len(lines) == 1:
        lines = _numbers_of(lines[0]) if question.kind == "number" else _listed(lines[0], count)
    groups = [[line] for line in lines] if len(lines) == count else [list(p) for p in paragraphs]
    ordered = _by_name(groups, question) if len(groups) == count else []
    if not ordered:
        names = listed([f"{part}: ..." for part in question.machine])
        split.notes.append(f"{question.id} has several parts; write {names}, each on its own line")
        split.unplaced += lines
        return _place_text(paragraphs, question, split) if question.text else None
    words = _WORDS if question.kind == "number" else _ITEM
    for part, (first, *rest) in zip(question.machine, ordered, strict=True):
        split.add(part, [(first[0], words.sub("", first[1]).strip()), *rest], question)
    places = {
        part: groups.index(group) for part, group in zip(question.machine, ordered, strict=True)
    }
    split.notes.append(
        f"the lines of {question.id} have no labels, so they were read in this order: "
        f"{listed(sorted(places, key=places.__getitem__))}"
    )
    return None


def _by_name(groups: list[list[Line]], question: QuestionParts) -> list[list[Line]]:
    """Return the values in the order of the parts that their words name: `3^n with two heads`.

    Return none if their words contradict the order of the question and give no other one.
    """
    named = [_named_in(group, question) for group in groups]
    if all(name in ("", part) for name, part in zip(named, question.machine, strict=True)):
        return groups
    unnamed = [part for part in question.machine if part not in named]
    if named.count("") == len(unnamed) == 1 < len(named) - 1:
        named[named.index("")] = unnamed[0]
    if set(named) != set(question.machine):
        return []
    return [groups[named.index(part)] for part in question.machine]


def _named_in(lines: Sequence[Line], question: QuestionParts) -> str:
    """Return the only part that these lines name by a word of its own; "" if there is none.

    Reasons may speak of any part: `O(MNk), since the decoder has N queries`.
    """
    words = words_of(_REASON.split(" ".join(line for _, line in lines), maxsplit=1)[0])
    names = {part: words_of(part) for part in question.machine}
    own = {
        part: names[part].difference(*(names[other] for other in names if other != part))
        for part in question.machine
    }
    named = [
        part
        for part in question.machine
        if any(_is_form(word, name) for word in words for name in own[part])
    ]
    return named[0] if len(named) == 1 else ""


def _is_form(word: str, name: str) -> bool:
    """Return whether a word is a name or a longer form of it: `concatenation` of `concat`."""
    return word == name or (len(name) > 2 and word.startswith(name))


def _numbers_of(line: Line) -> list[Line]:
    """Return the values of a line like `6,920, 872 and 1821`, with the words around them."""
    text = _GROUPED.sub(lambda match: match[0].replace(",", ""), line[1][:LOOKED_AT])
    pieces = (piece.strip() for piece in _BETWEEN.split(text.strip(" ()[]{}.")))
    return [(line[0], piece) for piece in pieces if _WORDS.sub("", piece)]


def _listed(line: Line, count: int) -> list[Line]:
    """Return the values of a line like `2^n, 3^n and (k+1)^n`, split outside of brackets.

    Several sentences are no list: `It doubles with one head, so 2^n. With two heads, ...`.
    """
    pieces = split_outside(line[1][: 10 * LOOKED_AT], ",;,；，、")
    if len(pieces) == count - 1:
        pieces += _AND.split(pieces.pop(), maxsplit=1)
    if any(_SENTENCES.search(piece) for piece in pieces[:-1]):
        return [line]
    return [(line[0], piece.strip()) for piece in pieces if piece.strip()]


def place_from_text(question: QuestionParts, split: Split) -> None:
    """Search the labeled text for a missing value."""
    missing = [part for part in question.machine if part not in split.parts]
    values = split.parts.get(question.text, []) if question.text not in question.machine else []
    if not missing or split.unplaced or not values or question.kind is None:
        return
    lines = [(value.line, line) for value in values for line in (*value.text.split("\n"), "")]
    if question.kind in _MAY_HOLD and not _may_hold(lines, question):
        return
    if len(question.machine) == 1 and question.kind in _READ_AMONG_WORDS:
        split.add(missing[0], lines, question)
        split.notes.append(
            f"`{missing[0]}` of {question.id} is empty, so the text was searched for it"
        )
    else:
        split.unplaced += lines


def detach_conditions(question: QuestionParts, split: Split) -> None:
    """Detach conditions from a formula: `β(k_a+k_b), where β is large`."""
    if question.kind not in ("formula", "vector"):
        return
    for part in question.machine:
        values = split.parts.get(part, [])
        for at, answer in enumerate(values):
            value, words = without_condition(answer.text)
            if not words or not is_like(value, question.kind):
                continue
            # `where S = 1000` belongs to the formula as well, and another vector may be the answer.
            vector = question.kind == "vector" and _may_hold([(answer.line, words)], question)
            says_more = any(pattern.search(words) for pattern in (_CALCULATES, VANISHES, LARGE))
            if not vector and not says_more:
                values[at] = Value(value, answer.line)
            if question.text:
                _place_text([[(answer.line, words)]], question, split)


def join_text(question: QuestionParts, split: Split) -> None:
    values = sorted(split.parts.get(question.text, ()), key=lambda value: value.line)
    if len(values) > 1 and question.text not in question.machine:
        split.parts[question.text] = [
            Value("\n\n".join(value.text for value in values), values[0].line)
        ]
