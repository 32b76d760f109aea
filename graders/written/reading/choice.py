"""Which option, or which options, a student chose."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from graders.written.judgement import Unreadable
from graders.written.reading.words import LONGEST, plain, without_lead, without_marks

_BETWEEN = r"(?:\s*(?:,|;|/|&|\+|\band\b|\bor\b|\|)+\s*|\s+)"
_LISTED = re.compile(rf"[\[(]*([A-Za-z])[\])]*(?:{_BETWEEN}[\[(]*[A-Za-z][\])]*)*[\s.]*", re.I)
_LABEL = re.compile(r"[\[(]?([A-Za-z])(?:[\])][.:]?|[.:]|\s*[-–—=]|,|;)(?:\s|$)")
_REASON = re.compile(r"([A-Za-z])\s+(?:because|since|as|due|for)\b", re.IGNORECASE)
_SECOND = re.compile(rf"{_BETWEEN}[\[(]?([A-Za-z])(?:[\])]|\b)(?!\w)(?=\s*(?:$|[.,;:)/&]|and|or))")
_BOX = re.compile(r"^\s*(?:[-*+]\s*)?\[(?P<mark>[ xX✓✔]?)\]\s*(?P<rest>\S.*)$")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+")
_COLON = re.compile(r":|->|=>|→|⇒")
_NONE = frozenset({"none", "none of them", "none of these", "none of the above", "nothing"})


@dataclass(frozen=True, slots=True)
class Options:
    """The labels that can be chosen, each with the texts that mean it."""

    texts: Mapping[str, tuple[str, ...]]

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels."""
        return tuple(self.texts)

    @property
    def shown(self) -> str:
        """The labels as a remedy names them."""
        *most, last = self.labels
        return f"{', '.join(most)} or {last}" if most else last

    def label(self, letter: str) -> str | None:
        """The label spelled so, in any case."""
        found = [each for each in self.labels if each.casefold() == letter.casefold()]
        return found[0] if found else None

    def meanings(self) -> Iterator[tuple[str, str]]:
        """Every plain text with the label it means, the longest first."""
        pairs = [(plain(each), label) for label, some in self.texts.items() for each in some]
        pairs += [(plain(label), label) for label in self.labels if len(label) > 1]
        yield from sorted((pair for pair in pairs if pair[0]), key=lambda pair: -len(pair[0]))


def read_choice(text: str, options: Options) -> str:
    """The one label chosen; raises Unreadable where it is none or several."""
    lines = without_marks(text)
    if not lines:
        raise Unreadable(f"Nothing is chosen: write one of {options.shown}.")
    found = _listed(lines, options) or _one(lines.replace("\n", " "), options)
    if len(found) > 1:
        several = " and ".join(sorted(found))
        raise Unreadable(f"This names {several}: choose only one of {options.shown}.")
    if not found:
        raise Unreadable(f"`{_short(text)}` is no option: write one of {options.shown}.")
    return found.pop()


def read_choices(text: str, options: Options) -> frozenset[str]:
    """All labels chosen; raises Unreadable where one is not an option."""
    lines = _ticked(_lines(text))
    joined = without_marks("\n".join(lines))
    if plain(joined) in _NONE:
        return frozenset()
    if plain(joined) in ("all", "all of them", "all of the above"):
        return frozenset(options.labels)
    found = _listed(joined, options) or _run(joined, options) or _each(joined, options)
    if not found:
        remedy = f"list letters out of {', '.join(options.labels)}, such as `A, C`"
        raise Unreadable(f"`{_short(text)}` names no options: {remedy}.")
    return frozenset(found)


def _lines(text: str) -> Sequence[str]:
    return text[:LONGEST].splitlines()


def _ticked(lines: Sequence[str]) -> Sequence[str]:
    """Only the lines with a ticked box, where there are boxes."""
    boxes = [_BOX.match(line) for line in lines]
    if len(lines) > 1 and any(box and box["mark"] in (" ", "") for box in boxes):
        return [box["rest"] for box in boxes if box and box["mark"].strip()]
    return [
        box["rest"] if box and box["mark"].strip() else line
        for box, line in zip(boxes, lines, strict=True)
    ]


def _listed(text: str, options: Options) -> set[str]:
    """The options of a text that is nothing but letters and what parts them."""
    line = ", ".join(_BULLET.sub("", each) for each in without_lead(text).split("\n"))
    line = " ".join(re.sub(r"['\[\](){}]", " ", line).split())
    if _LISTED.fullmatch(line[:200]) is None or len(line) > 200:
        return set()
    letters = re.findall(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])", line)
    return {_known(letter, options) for letter in letters}


def _known(letter: str, options: Options) -> str:
    label = options.label(letter)
    if label is None:
        raise Unreadable(f"There is no option {letter}: write one of {options.shown}.")
    return label


def _run(text: str, options: Options) -> set[str]:
    """The options of letters without anything between them: `ACE`."""
    letters = without_lead(text).strip(" .()[]")
    labels = [options.label(letter) for letter in letters[:30]]
    if len(letters) > 30 or None in labels or len(set(labels)) < len(labels):
        return set()
    return {label for label in labels if label}


def _each(text: str, options: Options) -> set[str]:
    """The options of a list with texts, one a line or parted by commas."""
    lines = [_BULLET.sub("", line) for line in text.split("\n")]
    pieces = (
        lines
        if len(lines) > 1
        else re.split(r"[;,]|\band\b|(?<=\S)\s+(?=\(?[A-Z][).:]\s)", lines[0])
    )
    found = [_one(piece.strip(), options, alone=False) for piece in pieces[:40] if piece.strip()]
    return set().union(*found) if all(found) else set()


def _one(text: str, options: Options, *, alone: bool = True) -> set[str]:
    """The option that a line begins with, by letter or by text; both where there are two."""
    text = _BULLET.sub("", text)
    for line in (text, without_lead(text), _behind_colon(text)):
        if found := _labelled(line, options, alone=alone) or _meant(line, options):
            return found
    return set()


def _behind_colon(text: str) -> str:
    """What stands behind the last colon or arrow: the task is repeated and then answered."""
    return _COLON.split(text[:LONGEST])[-1].strip()


def _labelled(line: str, options: Options, *, alone: bool) -> set[str]:
    match = _LABEL.match(line) or _REASON.match(line)
    if match is None and len(line.strip()) == 1:
        match = re.match(r"\s*(\w)", line)
    label = options.label(match[1]) if match else None
    if match is None or label is None:
        return set()
    is_text = line[match.end(1) :].lstrip()[:1] in tuple(")].:=-–—")
    second = None if is_text or not alone else _SECOND.match(line, match.end(1))
    other = options.label(second[1]) if second else None
    return {label, other} if other else {label}


def _meant(line: str, options: Options) -> set[str]:
    words = plain(line)
    for text, label in options.meanings():
        if words != text and not words.startswith(f"{text} "):
            continue
        rest = words[len(text) :].split(maxsplit=1)
        if rest[:1] in (["or"], ["and"]) and (others := _meant_by(rest[1:], options)):
            return {label, *others}
        return {label}
    return set()


def _meant_by(rest: Iterable[str], options: Options) -> set[str]:
    line = " ".join(rest)
    return {label for text, label in options.meanings() if f"{line} ".startswith(f"{text} ")}


def _short(text: str) -> str:
    return " ".join(text[:80].split())[:40]
