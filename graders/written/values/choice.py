"""Parse which option or options a student chose."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graders.written.question import Misfit, Unreadable
from graders.written.values.words import (
    LONGEST,
    apart,
    denies,
    first_clause,
    narrow,
    plain,
    without_lead,
    without_marks,
)

_BETWEEN = r"(?:\s*(?:,|;|/|&|\+|\b(?:and|or|und|oder|et|ou|и)\b|和|与|\|)+\s*|\s+)"
# Matches `A, C and D` or `(A) and (B) are true`.
_LISTED = re.compile(
    rf"[\[(]*([A-Za-z])[\])]*(?:{_BETWEEN}[\[(]*[A-Za-z][\])]*)*[\s.]*"
    r"(?:(?:are|is)?\s*(?:all\s*)?(?:true|correct|right|apply|hold)[\s.]*)?",
    re.IGNORECASE,
)
_JOINED = re.compile(r"(?<=\b[A-Z]) (?:y|e|o|u|i|и|a) (?=[A-Z]\b)")  # a one-letter `and`
# Matches `A or B`.
_OPEN = re.compile(r"\b[A-Za-z][\])]?\s+(?:or|oder|ou|или)\s+[\[(]?[A-Za-z]\b", re.IGNORECASE)
# Matches `A, no` or `B wait`.
_CORRECTED = re.compile(r"^\W*\w\W+(?:no|wait|actually|sorry|oops|correction|nein|non)\b", re.I)
_LAST = re.compile(r"(?:^|[\s:=(\[])([A-Z])[\s.)\]!]*$")  # `La respuesta es C`
FEW_WORDS = 8  # before a letter at the end of the answer
# Matches `(B)` or `B.` or `b: x`.
_LABEL = re.compile(
    r"[\[(]?([A-Za-z])(?:(?:[\])][.:,;]?|[.:]|\s*[-–—=]|,|;)(?:\s|$)|\s?(?=\([^)]{2}))"
)
_REASON = re.compile(r"([A-Za-z])\s+(?:because|since|as|due|for)\b", re.IGNORECASE)  # `B because`
# Matches `, (C)`.
_SECOND = re.compile(rf"{_BETWEEN}[\[(]?([A-Za-z])(?:[\])]|\b)(?!\w)(?=\s*(?:$|[.,;:)/&]|and|or))")
_BOXES = re.compile(r"\[[ xX✓✔]?\]|[☐☑☒]")
_BOX = re.compile(r"^\s*(?:[-*+]\s*)?\[(?P<mark>[ xX✓✔]?)\]\s*(?P<rest>\S.*)$")  # `- [x] option`
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+")
# What a student says of one option in a list of all: `A: yes, B: no`.
_AGREED = re.compile(r"\W*(?:true|t|yes|y|1|correct|right|holds|ja|wahr|oui|vrai|sí)?\W*", re.I)
_DENIED = re.compile(
    r"\W*(?:is |was )?(?:false|f|no|n|0|wrong|incorrect|nein|falsch|non|faux)\W*", re.I
)
# Matches `, but not B` or ` (not B, D)` or `, not F` after the chosen letters.
_NEITHER = r"(?:(?:but|aber)\s+)?(?:not|nicht|without|ohne|except)\s+"
_EXCLUDED = re.compile(
    rf"(?<=[A-Za-z])(?:\s*\(\s*{_NEITHER}[A-Za-z](?:{_BETWEEN}[A-Za-z])*\s*\)"
    rf"|[\s,;]+(?=but|aber){_NEITHER}[A-Za-z](?:{_BETWEEN}[A-Za-z])*"
    rf"|[\s,;]+{_NEITHER}[A-Za-z])[\s.]*$"
)
_HELD = re.compile(r"\s+(?:is|are)\s+(?:also\s+)?(?:true|correct|right|possible)$", re.IGNORECASE)
_CROSS = re.compile(r"[✗✘❌✕☒]")
_COLON = re.compile(r":|->|=>|→|⇒")
# Matches `no idea` or `not sure` or `not false`, and `not unique`, which may mean the same.
_NO_ANSWER = re.compile(
    r"no (?:idea|clue|doubt|problem|question|wonder)\b"
    r"|(?:can ?not|can t) (?:say|tell|know|decide)\b"
    r"|(?:not|never|non|hardly|cannot be|can t be) (?:no|not|false|never|wrong|untrue|incorrect)\b"
    r"|(?:(?:they are|it is) )?not (?:always|necessarily|sure|certain|unique|distinct|different)\b"
    r"|there (?:is|are) no (?:\w+ )?(?:reasons?|doubt|problems?|contradictions?|obstacles?)\b"
    r"|no (?:one|body|way (?:to|of))\b|never say\b|not only\b|(?:\w+ )?(?:can ?not|can t) not\b"
    r"|\w+ (?:is|was|would be) (?:not|wrong|incorrect)\b"
)
# What a negation turns into its opposite, as in `they cannot be told apart`; not of `no, each is
# unique`, where the negation is the whole answer.
_DIFFER = re.compile(
    r"\b(?!differen\w+ (?:positions?|tokens?|times?|indices|t)\b)"
    r"(?:differ\w*|distin\w+|unique\w*|apart|separat\w+|ruled out|excluded)\b"
)
_BARE = re.compile(r"(?:no|n|nope|false)\b(?! (?:two|pairs?|positions?|difference|unique\w*)\b)")
_CONCLUDED = re.compile(r"\b(?:so|therefore|thus|hence|answer is) (?:it is )?(\w+)$")
_NONE = frozenset({"none", "none of them", "none of these", "none of the above", "nothing"})


class Contradictory(Unreadable):
    """An option was found, but also words that indicate another one."""


@dataclass(frozen=True, slots=True)
class Options:
    """The labels that can be chosen, each with the texts that mean it."""

    texts: Mapping[str, tuple[str, ...]]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.texts)

    @property
    def shown(self) -> str:
        """The labels as error messages list them."""
        *most, last = self.labels
        return f"{', '.join(most)} or {last}" if most else last

    @property
    def denies(self) -> bool:
        """Return whether an option is itself a negation, such as `no`."""
        return any(denies(text) for some in self.texts.values() for text in some)

    def label(self, letter: str) -> str | None:
        """Return the label spelled like this, in any case."""
        labels = [label for label in self.labels if label.casefold() == letter.casefold()]
        return labels[0] if labels else None

    def meanings(self) -> Iterator[tuple[str, str]]:
        """Yield every plain text with the label that it means, the longest first."""
        pairs = [(plain(text), label) for label, some in self.texts.items() for text in some]
        pairs += [(plain(label), label) for label in self.labels if len(label) > 1]
        yield from sorted((pair for pair in pairs if pair[0]), key=lambda pair: -len(pair[0]))


def read_choice(text: str, options: Options) -> str:
    """Return the chosen label. Raises Misfit if there are several, Unreadable if there is none."""
    lines = without_marks("\n".join(ticked(_lines(text))))
    if not lines:
        raise Misfit(f"No option is chosen; write one of {options.shown}.")
    listed = _listed(lines, options)
    if len(listed) > 1:
        raise Misfit(f"{_named(listed)} are chosen; choose only one of {options.shown}.")
    line = lines.replace("\n", " ")
    labelled = listed or _LABEL.match(line)
    if labelled and not listed and _CORRECTED.search(line):
        raise Unreadable(f"`{_short(text)}` contains a correction; write one of {options.shown}.")
    if not labelled and not options.denies and denies(first_clause(narrow(text))):
        raise Unreadable(f"`{_short(text)}` contains a negation and may mean another option.")
    if not listed and _takes_back(line, options):
        raise Unreadable(f"`{_short(text)}` names an option, but not as the answer.")
    labels = listed or _one(line, options) or _last(line, options)
    if len(labels) > 1:
        raise Unreadable(f"This names {_named(labels)}; choose only one of {options.shown}.")
    if not labels:
        raise Unreadable(f"`{_short(text)}` is not an option; write one of {options.shown}.")
    if len(named := _only_options(lines, options, *labels)) > 1 or _labels_each(lines, options):
        several = (
            f"This names {_named(named)}" if named else "This says something about each option"
        )
        raise Contradictory(f"{several}; choose only one of {options.shown}.")
    return labels.pop()


def read_choices(text: str, options: Options) -> frozenset[str]:
    """Return all chosen labels. Raises Misfit for a letter that is not an option, or Unreadable."""
    lines = ticked(_lines(text))
    joined = _EXCLUDED.sub("", without_marks("\n".join(lines)))
    if plain(joined) in _NONE:
        return frozenset()
    if plain(joined) in ("all", "all of them", "all of the above"):
        return frozenset(options.labels)
    if _OPEN.search(joined):
        raise Unreadable(f"`{_short(text)}` is incomplete; list every option, such as `A, C`.")
    labels = _listed(joined, options) or _run(joined, options) or _listed_texts(joined, options)
    if not labels:
        remedy = f"list letters from {', '.join(options.labels)}, such as `A, C`"
        raise Unreadable(f"`{_short(text)}` names no options; {remedy}.")
    return frozenset(labels)


def _lines(text: str) -> Sequence[str]:
    return narrow(text[:LONGEST]).splitlines()


def ticked(lines: Sequence[str]) -> Sequence[str]:
    """Return only the lines with a ticked box, if there are boxes; several may be on one line."""
    lines = [piece for line in lines for piece in _boxed(line)]
    boxes = [_BOX.match(line) for line in lines]
    if len(lines) > 1 and any(box and box["mark"] in (" ", "") for box in boxes):
        return [box["rest"] for box in boxes if box and box["mark"].strip()]
    return [
        box["rest"] if box and box["mark"].strip() else line
        for box, line in zip(boxes, lines, strict=True)
    ]


def _boxed(line: str) -> Iterator[str]:
    """Yield the line; one with several boxes as a line for each: `[ ] yes [x] no`."""
    starts = [match.start() for match in _BOXES.finditer(line)]
    if len(starts) < 2:
        yield line
        return
    if line[: starts[0]].strip(" -*+•"):
        raise Unreadable(f"`{_short(line)}` does not say which box belongs to which option.")
    for start, end in pairwise([*starts, len(line)]):
        box = "x" if line[start] == "☑" else "" if line[start] in "☐☒" else None
        yield line[start:end] if box is None else f"[{box}] {line[start + 1 : end].strip()}"


def _listed(text: str, options: Options) -> set[str]:
    """Return the options of a text that consists only of letters and separators."""
    line = ", ".join(_BULLET.sub("", item) for item in without_lead(text).split("\n"))
    line = _JOINED.sub(", ", " ".join(re.sub(r"['\[\](){}]", " ", line).split()))
    if _LISTED.fullmatch(line[:200]) is None or len(line) > 200:
        return set()
    letters = re.findall(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])", line)
    return {_label(letter, options) for letter in letters}


def _takes_back(line: str, options: Options) -> bool:
    """Return whether the first letter may not be the answer.

    Examples are `A (wrong)`, `A (the second)` and a copy of the options: `(A) this, (B) that?`.
    """
    words = f" {plain(line)} "
    copied = {choice for text, choice in options.meanings() if f" {plain(choice)} {text} " in words}
    if len(copied) > 1:
        return True
    first = _LABEL.match(line)
    label = options.label(first[1]) if first else None
    if first is None or label is None:
        return False
    rest = line[first.end(1) :]
    meant = {choice for text, choice in options.meanings() if plain(rest) == text}
    return bool(meant - {label}) or bool(plain(rest) and _DENIED.fullmatch(rest))


def _only_options(lines: str, options: Options, label: str) -> set[str]:
    """Return the options of an answer that names several and nothing else: `C. Or A.`.

    The texts of the chosen option, such as `encoder/decoder`, may contain another one.
    """
    meanings = dict(options.meanings())
    for text in (text for text in meanings if meanings[text] == label and " " in text):
        words = r"[ /–-]+".join(text.split())
        lines = re.sub(rf"\b{words}\b", label, lines, flags=re.IGNORECASE)
    for words in (lines, _behind_colon(lines)):
        pieces = [_HELD.sub("", piece) for piece in apart(words)]
        named = [
            options.label(piece) or meanings.get(plain(piece)) or options.label(without_lead(piece))
            for piece in pieces
        ]
        if all(named):
            return {each for each in named if each}
    return set()


def _labels_each(lines: str, options: Options) -> bool:
    """Return whether several lines begin with different labels and say something about each."""
    said = [line for line in lines.split("\n") if len(line.split()) > 1]
    labels = {options.label(match[1]) for match in map(_LABEL.match, said) if match} - {None}
    return len(labels) > 1 and len(said) == lines.count("\n") + 1


def _label(letter: str, options: Options) -> str:
    meant = (choice for text, choice in options.meanings() if text == letter.casefold())
    label = options.label(letter) or next(meant, None)
    if label is None:
        raise Misfit(f"There is no option {letter}; write one of {options.shown}.")
    return label


def _named(labels: Iterable[str]) -> str:
    return " and ".join(sorted(labels))


def _last(text: str, options: Options) -> set[str]:
    """Return the option whose capital letter ends a short sentence: `La respuesta es C`."""
    match = _LAST.search(text) if len(text.split()) <= FEW_WORDS else None
    letters = {options.label(letter) for letter in re.findall(r"\b[A-Z]\b", text)} - {None}
    label = options.label(match[1]) if match and len(letters) == 1 else None
    return {label} if label else set()


def _run(text: str, options: Options) -> set[str]:
    """Return the options of letters without separators: `ACE`."""
    letters = without_lead(text).strip(" .()[]")
    labels = [options.label(letter) for letter in letters[:30]]
    if len(letters) > 30 or None in labels or len(set(labels)) < len(labels):
        return set()
    return {label for label in labels if label}


def _listed_texts(text: str, options: Options) -> set[str]:
    """Return the options of a list with texts, one per line or separated by commas."""
    lines = [_BULLET.sub("", line) for line in text.split("\n")]
    pieces = (
        lines
        if len(lines) > 1
        else re.split(r"[;,]|\band\b|(?<=\S)\s+(?=\(?[A-Z][).:](?:\s|$))", lines[0])
    )
    pieces = [piece.strip() for piece in pieces[:40] if piece.strip()]
    choices = [_one(piece, options, alone=False) for piece in pieces]
    if not all(choices):
        return set()
    verdicts = [_verdict(piece) for piece in pieces]
    if False in verdicts and None in verdicts:
        return set()  # `A, C, E (not B, D)`: a person decides which letters are denied
    return set().union(
        *(labels for labels, held in zip(choices, verdicts, strict=True) if held is not False)
    )


def _verdict(piece: str) -> bool | None:
    """Return what a student says of an option: `A: yes` or `B: no`; None if nothing."""
    label = _LABEL.match(piece)
    rest = piece[label.end(1) :] if label else ""
    if _CROSS.search(rest) or _DENIED.fullmatch(rest) or denies(" ".join(rest.split()[:2])):
        return False
    return True if re.search(r"\w|[✓✔✅]", rest) and _AGREED.fullmatch(rest) else None


def _one(text: str, options: Options, *, alone: bool = True) -> set[str]:
    """Return the option at the start of a line, by letter or by text; both if they differ."""
    text = _BULLET.sub("", text)
    for line in (text, without_lead(text), _behind_colon(text)):
        if labels := _labelled(line, options, alone=alone) or _meant(line, options):
            return labels
    return set()


def _behind_colon(text: str) -> str:
    """Return the text after the last colon or arrow; the answer may follow a copy of the task."""
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
        clause = plain(first_clause(line))
        if dict(options.meanings()).get(clause, label) != label:  # `encoder, decoder not needed`
            raise Contradictory(f"`{_short(line)}` could mean either.")
        rest = words[len(text) :].split(maxsplit=1)
        if options.denies and _contradicts(words, clause, text, label, options):
            raise Contradictory(f"`{_short(line)}` could mean either.")
        if rest[:1] in (["or"], ["and"]) and (labels := _meant_by(rest[1:], options)):
            return {label, *labels}
        return {label}
    return set()


def _contradicts(words: str, clause: str, text: str, label: str, options: Options) -> bool:
    """Return whether another option follows, as in `no, they can`, or a negation is negated.

    Also if the first word is not an answer: `no idea`, `not sure`, `not unique`.
    """
    if _NO_ANSWER.match(words) or _means_opposite(clause, text, label):
        return True
    rivals = (rival for rival in options.labels if rival != label and not denies(rival))
    if any(f" {plain(rival)} " in f"{words} " for rival in rivals):  # `No. Actually yes.`
        return True
    concluded = _CONCLUDED.search(words)  # `there is no limit, so yes`
    if concluded and _meant_by(concluded.groups(), options) - {label}:
        return True
    rest = f"{words[len(text) :].strip()} "
    following = next(
        (meant for phrase, meant in options.meanings() if rest.startswith(f"{phrase} ")), label
    )
    return following != label or re.match(r"(?:im|un|in)possible |not (?:im|un)", rest) is not None


def _means_opposite(clause: str, text: str, label: str) -> bool:
    """Return whether the text of a negation, which begins this clause, denies a difference."""
    rest = clause.removeprefix(text)
    return denies(label) and not _BARE.match(clause) and _DIFFER.search(rest) is not None


def _meant_by(rest: Iterable[str], options: Options) -> set[str]:
    line = " ".join(rest)
    return {label for text, label in options.meanings() if f"{line} ".startswith(f"{text} ")}


def _short(text: str) -> str:
    return " ".join(text[:80].split())[:40]
