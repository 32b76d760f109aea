"""Verify the shape of a tensor as people write it: `(B, L)`, `torch.Size([64, 45])`, `64 x 45`."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import combinations, pairwise
from typing import Any

from graders.errors import UsageError
from graders.written.question import Asked, Judgement, Unreadable
from graders.written.values.words import denies
from graders.written.verifiers.parts import judge_parts
from graders.written.verifiers.settings import of_part, required, texts

LONGEST = 400
MOST_WORDS = 2  # of a size with an unknown name that is incorrect
# Matches `\text` or `int64`.
_DRESS = re.compile(r"\\(?:text|mathrm|texttt)\b|[`$*{}\\]|\bint(?:64|32|8)\b", re.IGNORECASE)
# Matches `the shape is (B, L)` or `input_ids is B×L`.
_LEAD = re.compile(
    r"^.{0,120}?\b(?:(?:(?:is|has|ist)\s(?:an?\s|the\s|of\s){0,3})?(?:shape|size)\s*(?:is|of|:|=)?"
    r"|is|has|ist)\s*(?=\S)",
    re.IGNORECASE,
)
# Matches `(B, L)` or `[[64, 45]]`; `*+`: blanks are read once.
_BRACKETS = re.compile(r"[(\[]\s*+(?:[(\[]\s*+)?([^()\[\]]{1,120})[)\]]")
# Matches `,` or `×` or `64x45`.
_BETWEEN = re.compile(r"\s*(?:,|;|×|\bby\b|(?<=\d)x(?=\d)|\s[xX]\s|\btimes\b)\s*")
# A shape before a remark in brackets: `64 × 45 (padded)`, `64 (one per text)`.
_BEFORE_REMARK = re.compile(r"\w[\w ]*(?:[×,;]|(?<=\d)x|\s[xX]\s|\bby\b).*\w|\d+|[A-Za-z]")
_REFERS = re.compile(r"\b(?:same|identical|equal|ditto|also|as (?:above|before))\b", re.IGNORECASE)
_OTHER = re.compile(r"[\s,;/]*(?:(?:or|oder|ou|and|und|et)\b)?\s*(?:torch\.Size\s*)?", re.I)
_WORD = re.compile(r"[A-Za-z][\w\- ]{0,40}|\d{1,9}")


def tensor_shape(answer: Asked) -> Judgement:
    """Grade the shapes of tensors, one per part.

    Settings: `key` (a table of part to names of sizes, such as ["B", "L"]), `sizes` (a table of
    name to `names`, the words that mean it, and `values` or `at_most`, the allowed numbers).
    """
    return judge_parts(answer, _judged)


def _judged(answer: Asked, part: str) -> Judgement:
    shapes = _shapes(answer.parts[part])
    judged = [_compared(answer, part, shape) for shape in shapes]
    if judged[0].fraction < 1 and _REFERS.search(answer.parts[part][:LONGEST]):
        raise Unreadable("The answer refers to another one; write the sizes themselves.")
    if len({judgement.fraction for judgement in judged}) > 1:
        raise Unreadable("The answer contains several different shapes; write only one.")
    return judged[0]


def _compared(answer: Asked, part: str, sizes: tuple[str, ...]) -> Judgement:
    key = texts(of_part(answer.machine, "key", part))
    shown = f"({', '.join(sizes)}{',' * (len(sizes) == 1)})"
    if len(sizes) != len(key):
        message = f"This has {_axes(len(sizes))}, but the tensor has {_axes(len(key))}."
        return Judgement(0.0, message, "What does each axis count?", actual=shown)
    wrong = [one for one, name in zip(sizes, key, strict=True) if not _means(answer, one, name)]
    if not wrong:
        own_sizes = dict(zip(key, sizes, strict=True))
        other = _other_size(answer, part, own_sizes) or _same_size(key, sizes)
        return Judgement(0.0 if other else 1.0, other, actual=shown)
    if in_words := [one for one in wrong if len(one.split()) > MOST_WORDS]:
        raise Unreadable(f"`{in_words[0]}` may be a size; write its letter or number.")
    hints = (mistake.hint for mistake in answer.machine.mistakes if mistake.answer in wrong)
    hint = next(hints, "What does each axis count, and in which order?")
    return Judgement(0.0, f"`{wrong[0]}` is not the size of its axis.", hint, actual=shown)


def _same_size(key: Sequence[str], sizes: Sequence[str]) -> str:
    """Return a message if different axes have the same word; `n` and `N` are two words.

    Raises Unreadable for a number of two such axes, which may be equal by chance.
    """
    for (name, here), (other, there) in combinations(zip(key, sizes, strict=True), 2):
        for side in sorted({*_meant(here)} & {*_meant(there)}) if name != other else ():
            if not side.isdigit():
                return f"`{side}` cannot be the size of two different axes."
            raise Unreadable(f"Two different axes have the size {side}; write letters.")
    return ""


def _other_size(answer: Asked, part: str, own_sizes: Mapping[str, str]) -> str:
    """Return a message if an earlier part has another number for a size of this part."""
    parts = answer.machine.parts
    for other in parts[: parts.index(part)]:
        with suppress(Unreadable):
            sizes = _shapes(answer.parts.get(other, ""))[0]
            for name, there in zip(
                texts(of_part(answer.machine, "key", other)), sizes, strict=False
            ):
                here = _number(own_sizes.get(name, ""))
                if here and _number(there) not in ("", here) and _means(answer, there, name):
                    return f"The size {name} is {here} here, but {_number(there)} in `{other}`."
    return ""


def _number(size: str) -> str:
    """Return the number of a size such as `64` or `B=64`, or nothing."""
    return next((side for side in _meant(size) if side.isdigit()), "")


def _axes(number: int) -> str:
    return "1 axis" if number == 1 else f"{number} axes"


def _shapes(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the sizes in each pair of brackets, or those of a line without brackets."""
    line = _DRESS.sub(" ", text[:LONGEST].replace(r"\times", "×"))
    groups = list(_BRACKETS.finditer(line))
    lists = [group for group in groups if "," in group[1]] or groups[:1]
    before = _LEAD.sub("", line[: groups[0].start()]).strip() if groups else ""
    if lists and denies(line[: lists[0].start()]):
        raise Unreadable("The shape is next to words that may contradict it.")
    if not lists or _BEFORE_REMARK.fullmatch(before):
        return (_sizes(before or _LEAD.sub("", line).strip().rstrip(".")),)
    first = _sizes(lists[0][1])
    alternatives = [
        later
        for before, later in pairwise(lists)
        if _is_alternative(first, line[before.end() : later.start()], later[1])
    ]
    return (first, *(_sizes(group[1]) for group in alternatives))


def _is_alternative(first: Sequence[str], between: str, inside: str) -> bool:
    """Return whether later brackets may be meant as the shape: `(B, L), perhaps (L, B)`."""
    if _OTHER.fullmatch(between):
        return True
    sizes = [size.strip() for size in _BETWEEN.split(inside) if size.strip()]
    reordered = sorted(sizes) == sorted(first) and sizes != [*first]
    return reordered and not denies(between)


def _sizes(inside: str) -> tuple[str, ...]:
    sizes = tuple(size for size in (size.strip(" .:") for size in _BETWEEN.split(inside)) if size)
    if not sizes or len(sizes) > 8 or any(_meant(size) == () for size in sizes):
        raise Unreadable("No shape was found; write the sizes in brackets, such as `(B, 3, T)`.")
    return sizes


def _meant(size: str) -> tuple[str, ...]:
    """Return the meaning of a size: a word, a number, or both if it is written `B=64`."""
    sides = [side.strip() for side in re.split(r"=|:", size)]
    return tuple(sides) if all(_WORD.fullmatch(side) for side in sides) else ()


def _means(answer: Asked, size: str, name: str) -> bool:
    settings: Mapping[str, Any] = required(answer.machine, "sizes").get(name, {})
    if not settings:
        raise UsageError(f"the size `{name}` is not defined", "add it under `sizes`")
    return all(_is_side(side, settings) for side in _meant(size))


def _is_side(side: str, settings: Mapping[str, Any]) -> bool:
    if side.isdigit():
        values, most = settings.get("values"), settings.get("at_most", 0)
        return int(side) in values if values is not None else 1 <= int(side) <= most
    word = re.sub(r"[^a-z]", "", side.casefold())
    return any(word == re.sub(r"[^a-z]", "", name.casefold()) for name in settings["names"])
