"""Find the question that a heading means: `1b`, `1 (b)`, `Question 1.b: a title`.

Ids are compared by their numbers and letters in order; separators are ignored. A heading that could
mean two questions means none.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise

LEADING = frozenset({
    "question", "questions", "problem", "exercise", "ex", "part", "task", "answer", "answers",
    "to", "for", "number", "no", "section", "item", "solution",
    "aufgabe", "frage", "teil", "antwort", "lösung", "übung", "nummer",
    "exercice", "réponse", "partie", "pregunta", "respuesta", "ejercicio", "parte",
    "pergunta", "resposta", "exercício", "questão", "domanda", "risposta", "esercizio",
    "vraag", "antwoord", "opgave", "pytanie", "odpowiedź", "zadanie", "soru", "cevap",
    "вопрос", "ответ", "задача", "задание", "问题", "题", "问", "答", "答案", "問題", "問",
})  # fmt: skip
NO_QUESTION = frozenset({  # those of them that may stand before an answer: `answer b`
    "answer", "answers", "to", "for", "number", "no", "item", "solution", "antwort", "lösung",
    "nummer", "réponse", "respuesta", "resposta", "risposta", "antwoord", "odpowiedź", "cevap",
    "ответ", "答", "答案",
})  # fmt: skip
LONGEST_HEADING = 200
LONGEST_ID = 8  # the largest number of numbers and letters in an id
_ATOM = re.compile(r"\d+|[^\W\d_]+")
_PUNCTUATION = re.compile(r"[:：.)\]–—]|-\s")
_SHORT = re.compile(r"[ivx]+|[a-z]|\d+")
_PART = re.compile(r"[ivx]+|[a-z]")  # a part's name alone; a number may be any question or a step
# Between the numbers and letters of an id within a text: `1(c)`, `1c part i`, and `(c)` and `i.` on
# lines of their own.
_GAP = r"(?:[\s.()\[\]*_]{1,8}(?:part\s)?)?"
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_COUNTS = re.compile(r"\s*(?:points?|pts?|marks?|p)\b", re.IGNORECASE)  # `1a (2 points)`
Words = Sequence[re.Match[str]]


@dataclass(frozen=True, slots=True)
class Meant:
    """The meaning of a heading: a question, two of them, or the group that questions share.

    With a group, `either` is a question that the heading may mean instead. `rest` is the text after
    the id. `lone` means that the id is a single letter: below a group it is a part of that group;
    elsewhere it may not be a question.
    """

    question: str = ""
    either: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    rest: str = ""
    lone: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    question: str
    end: int
    loose: bool
    lone: bool


def canonical(text: str) -> str:
    """Return the numbers and letters of an id in order: `1c.i` and `1 (c) I` are both `1ci`."""
    return _joined([atom.group() for atom in _ATOM.finditer(text[:LONGEST_HEADING])])


def _joined(atoms: Sequence[str]) -> str:
    key = ""
    for atom in atoms:
        between = "." if key[-1:].isdigit() and atom[0].isdigit() else ""
        key += between + atom.casefold()
    return key


class Names:
    """The ids and titles of an assignment's questions."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self._ids = {canonical(name): name for name in titles}
        self._numbered = dict(_numbered(titles))
        self._titles: dict[str, list[str]] = {}
        for name, title in titles.items():
            self._titles.setdefault(_plain(title), []).append(name)

    def meant(self, heading: str, above: tuple[str, ...] = ()) -> Meant:
        """Return a heading's meaning below the groups `above`: `(b)` below `Question 1` is 1b."""
        text = heading[:LONGEST_HEADING]
        words = _words(text)
        flat, nested = self._best(text, words), self._best(text, words, above) if above else None
        titled = self._titles.get(_plain(text), [])
        flat_group = self._group(text, words)
        repeats = len(flat_group) > 1 and flat_group[:1] == above[:1]  # `# 2.1` below `# 2`
        if repeats and not flat:
            nested = None
        if flat and nested and flat.question != nested.question and not flat.lone:
            return Meant(either=(flat.question, nested.question))
        best = nested or flat
        group = self._group(text, words, above) or (flat_group if repeats else ())
        if best is not None and _adds_q(best.question, group):
            return Meant(either=(best.question,), group=group)
        if best is not None:
            return Meant(best.question, rest=_after(text, best.end), lone=best.lone)
        if len(titled) == 1:
            return Meant(titled[0])
        return Meant(group=group)

    def beside(self, heading: str, group: tuple[str, ...], climb: bool = True) -> Meant:
        """Return what a bare part name means after a question of this group: `(ii)` after 1d.i.

        If it names none of the group, the groups around it are tried, too (`climb`).
        """
        text = heading[:LONGEST_HEADING]
        words = _words(text)
        if not words or not _PART.fullmatch(words[0].group().casefold()):
            return Meant()
        for size in range(len(group), 0 if climb else max(len(group) - 1, 0), -1):
            if best := self._best(text, words, group[:size]):
                return Meant(best.question, rest=_after(text, best.end))
            if inner := self._group(text, words, group[:size]):
                return Meant(group=inner)
        return Meant()

    def members(self, group: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for key, name in self._ids.items() if _rest(key, _joined(group)))

    def nearest(self, heading: str) -> str:
        """Return the id that is spelled most similarly to this heading, or nothing."""
        words = [word.group() for word in _words(heading[:LONGEST_HEADING])]
        keys = [_joined(words[:size]) for size in range(1, min(len(words), 4) + 1)]
        for key in reversed(keys):
            close = get_close_matches(key, self._ids, n=1, cutoff=0.6)
            if close:
                return self._ids[close[0]]
        return ""

    def _best(self, text: str, words: Words, above: tuple[str, ...] = ()) -> _Candidate | None:
        """Return the longest id that the heading begins with, preferably one without gaps."""
        candidates = list(self._candidates(text, words, above))
        return max(
            candidates, key=lambda candidate: (not candidate.loose, candidate.end), default=None
        )

    def _candidates(self, text: str, words: Words, above: tuple[str, ...]) -> Iterator[_Candidate]:
        for size in range(1, min(len(words), LONGEST_ID) + 1):
            atoms = [word.group() for word in words[:size]]
            key, end = _joined([*above, *atoms]), words[size - 1].end()
            question = self._lookup(key)
            if size > 1 and not question and not _COUNTS.match(text, end):
                question = self._numbered.get(key, "")
            if question and _ends(text, words, size):
                gaps = (text[a.end() : b.start()] for a, b in pairwise(words[:size]))
                loose = any(gap and not gap.strip() for gap in gaps)
                lone = size == 1 and len(atoms[0]) == 1 and atoms[0].isalpha()
                yield _Candidate(question, end, loose, lone)

    def _lookup(self, key: str) -> str:
        """Return the question of this key; the Q before a number may be missing or superfluous."""
        for spelling in (key, key.removeprefix("q")):  # `Qb` is b
            if spelling in self._ids:
                return self._ids[spelling]
        close = [name for other, name in self._ids.items() if _without_q(other) == _without_q(key)]
        return close[0] if len(close) == 1 else ""

    def _group(self, text: str, words: Words, above: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return the longest beginning shared by several ids: `1` of `Question 1: Attention`."""
        best: tuple[str, ...] = ()
        for size in range(1, min(len(words), LONGEST_ID) + 1):
            atoms = (*above, *(word.group() for word in words[:size]))
            if self.members(atoms) and _ends(text, words, size):
                best = atoms
        return best


def _adds_q(question: str, group: tuple[str, ...]) -> bool:
    """Return whether `1.2` is the number of a group, and of this question only with a Q: Q1.2."""
    key = canonical(question)
    return bool(group) and _joined(group) == _without_q(key) != key


def _numbered(ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each id that ends with a Roman number as `1a2`, which is what some write for 1a.ii."""
    for name in ids:
        *group, last = _ATOM.findall(name.casefold())
        if group and last in _ROMAN:
            yield _joined([*group, str(_ROMAN.index(last) + 1)]), name


def group_of(question: str) -> tuple[str, ...]:
    """Return the numbers and letters that an id shares with its siblings: 1d of 1d.i."""
    return tuple(_ATOM.findall(question)[:-1])


def siblings(one: str, other: str) -> bool:
    """Return whether two questions belong to the same group: 1d.i and 1d.ii."""
    return _joined(group_of(one)) == _joined(group_of(other))


def names_question(text: str, question: str, beside: str = "") -> bool:
    """Whether a text names a question: `1c.i`, `1(c)(i)`, or `(b)` of b.

    In an answer `beside` it, to a question of the same group, `(i)` may mean 1c.i as well, and a
    line `3. ...` 1.2.3. So may a line `(c)` that names nothing but its group.
    """
    atoms, other = (_ATOM.findall(_without_q(name.casefold())) for name in (question, beside))
    last = atoms[-1]
    label = rf"[(*_]{{0,3}}{last}[*_]{{0,3}}[).:]"
    if last.isalpha() and (len(atoms) == 1 or other[:1] == atoms[:1]):
        if re.search(rf"(?:^|\s){label}", text, re.IGNORECASE):
            return True
    elif (
        beside
        and siblings(question, beside)
        and re.search(rf"(?m)^(?:\w+: )?[ \t]*{label}\s", text)
    ):
        return True
    group = atoms[-2:-1] if other[:1] == atoms[:1] else atoms[:-1]
    if group and group[-1].isalpha():
        alone = rf"^[^\w\n]{{0,8}}q?{_spaced(group)}[)\]*_.:]{{1,8}}[^\S\n]{{0,8}}$"
        if re.search(alone, text, re.IGNORECASE | re.MULTILINE):
            return True
    whole = rf"(?<![\w.])q?{_spaced(atoms)}(?!\w)"
    return len(atoms) > 1 and re.search(whole, text, re.IGNORECASE) is not None


def _spaced(atoms: Sequence[str]) -> str:
    """Return a pattern of an id; its numbers are apart, because `32` is a number and not 3.2."""
    pairs = pairwise(atoms)
    gaps = [_GAP.removesuffix("?") if a.isdigit() and b.isdigit() else _GAP for a, b in pairs]
    return "".join(atom + gap for atom, gap in zip(atoms, [*gaps, ""], strict=True))


def asks(text: str) -> bool:
    """Return whether a text begins with a word such as `question` before an id."""
    first = _ATOM.search(text[:LONGEST_HEADING])
    return first is not None and first.group().casefold() in LEADING - NO_QUESTION


def looks_like_id(heading: str) -> bool:
    """Return whether this was probably meant as a question: few short words with a number."""
    words = [word.group() for word in _words(heading[:LONGEST_HEADING])]
    led = len(words) < len(_ATOM.findall(heading[:LONGEST_HEADING]))
    numbered = led or any(word.isdigit() for word in words)
    return numbered and len(words) <= 4 and all(len(word) <= 3 for word in words)


def _words(text: str) -> Words:
    words = list(_ATOM.finditer(text))
    while len(words) > 1 and words[0].group().casefold() in LEADING:
        words.pop(0)
    return words


def _ends(text: str, words: Words, size: int) -> bool:
    """Return whether the id ends after `size` words, before a title or nothing."""
    if size == len(words):
        return True
    last, following = words[size - 1], words[size]
    gap = text[last.end() : following.start()]
    if any(mark in gap for mark in ":：–—"):
        return True
    if not re.search(r"\s", gap):
        return False
    lone = size == 1 and len(last.group()) == 1 and last.group().isalpha()
    if lone and not _PUNCTUATION.search(gap):
        return False  # `A note`: an article, hardly question a
    return not (size + 1 == len(words) and _SHORT.fullmatch(following.group()))


def _after(text: str, end: int) -> str:
    return text[end:].lstrip(" \t.:)]–—-*_")


def _rest(key: str, beginning: str) -> str:
    """Return the key after `beginning`; "" if it does not begin with this whole number."""
    key, beginning = _without_q(key), _without_q(beginning)
    rest = key.removeprefix(beginning)
    cut = beginning[-1:].isdigit() and rest[:1].isdigit()
    return "" if rest == key or cut else rest


def _without_q(key: str) -> str:
    return key[1:] if key[:1] == "q" and key[1:2].isdigit() else key


def _plain(title: str) -> str:
    return " ".join(_ATOM.findall(title.casefold()))
