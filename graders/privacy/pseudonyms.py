"""Replace people's names in texts, paths and code by pseudonyms.

A pseudonym is HMAC-SHA256(the store's secret, submission), shortened. It is the same in every
export of one results folder, and nobody can find it by trying names without the secret.

Full names, email addresses and numbers of everyone in the course are replaced everywhere. A part of
a name may be a word of Python (`max`, `ray`), so it is replaced only in the student's own comments,
texts and paths; where it occurs in names in the code, it is reported.
"""

import base64
import hashlib
import hmac
import io
import json
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from submissions.people import Person, folded

LENGTH = 8  # base 32 digits: 40 bits
SHORTEST = 3  # letters of a part of a name
SHORTEST_NUMBER = 5  # digits; fewer may be any number of the code
WORD = re.compile(r"[^\W_]+")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
HOME = re.compile(r"(/home/|/Users/|[A-Za-z]:\\+Users\\+)[^/\\\s'\"]+")
SOMEBODY = "student@example.org"
TEXT = (tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))


def pseudonym(key: bytes, submission: str) -> str:
    """Return a submission's pseudonym."""
    made = hmac.new(key, submission.encode(errors="surrogateescape"), hashlib.sha256).digest()
    return "s-" + base64.b32encode(made).decode()[:LENGTH].lower()


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A text without names, and the places where parts of names remain."""

    text: str
    left: tuple[str, ...] = ()


@dataclass(slots=True)
class Names:
    """The names of everybody in a course.

    `_full` has what is replaced everywhere, by its first word; `_own` what is replaced in one
    submission's texts.
    """

    key: bytes
    _full: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    _own: dict[str, re.Pattern[str]] = field(default_factory=dict)
    _parts: set[str] = field(default_factory=set)
    _patterns: dict[str, re.Pattern[str]] = field(default_factory=dict)

    def add(self, submission: str, folder: str, people: Iterable[Person]) -> None:
        """Add a submission's people; `folder` is the name of the upload, which may name them."""
        new, parts = pseudonym(self.key, submission), set[str]()
        for text in (submission, folder):
            parts |= set(_words(text))
            if len(_words(text)) > 1 or any(map(str.isdigit, text)):
                self._replace_everywhere(text, new)
        for person in people:
            numbers = (each for each in (person.sid, person.canvas) if len(each) >= SHORTEST_NUMBER)
            for text in (person.email, *numbers):
                self._replace_everywhere(text, new)
            for words in (_words(person.name), _words(folded(person.name))):
                parts |= set(words)
                for text in _spellings(words) if len(words) > 1 else ():
                    self._replace_everywhere(text, new)
        long = sorted((part for part in parts if len(part) >= SHORTEST), key=len, reverse=True)
        self._own[submission] = _whole_words(long)
        self._parts |= {each.casefold() for each in long}

    def in_text(self, submission: str, text: str) -> str:
        """Return prose, a message or a path without names."""
        new = pseudonym(self.key, submission)
        return self._own[submission].sub(new, self._full_names(text))

    def in_prose(self, submission: str, text: str) -> Scrubbed:
        """Return a file of prose without names, and the words in it that may be others' names."""
        clean = self.in_text(submission, text)
        return Scrubbed(clean, tuple(f"maybe a name: {each}" for each in self._maybe(clean)))

    def in_code(self, submission: str, code: str) -> Scrubbed:
        """Return Python code without full names, and without parts of names in its texts."""
        own, clean = self._own[submission], self._full_names(code)
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(clean).readline))
        except (SyntaxError, tokenize.TokenError):
            return Scrubbed(clean, ("it is no valid Python, so only full names are replaced",))
        lines, left = list(io.StringIO(clean)), dict[str, int]()
        for token in reversed(tokens):
            if token.type in TEXT:
                text = self.in_text(submission, token.string)
                _replace(lines, token, text)
                left |= dict.fromkeys(self._maybe(text), token.start[0])
            elif token.type == tokenize.NAME and own.search(HUMP.sub(" ", token.string)):
                left[token.string] = token.start[0]
        found = sorted(left.items(), key=lambda item: item[1])
        return Scrubbed("".join(lines), tuple(f"line {row}: {name}" for name, row in found))

    def in_notebook(self, submission: str, content: str) -> Scrubbed:
        """Return the cells of a notebook without names, outputs and metadata."""
        try:
            cells = json.loads(content)["cells"]
            kept = [self._cell(submission, cell) for cell in cells]
        except (ValueError, KeyError, TypeError, RecursionError):
            return Scrubbed("", ("it is no valid notebook, so it is left out",))
        notebook: dict[str, object] = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}}
        notebook["cells"] = [cell for cell, _ in kept]
        left = tuple(
            f"cell {n}, {each}" for n, (_, clean) in enumerate(kept, 1) for each in clean.left
        )
        return Scrubbed(json.dumps(notebook, indent=1, ensure_ascii=False), left)

    def in_path(self, submission: str, path: PurePosixPath) -> PurePosixPath:
        """Return a path without names."""
        return PurePosixPath(*(self.in_text(submission, part) for part in path.parts))

    def _cell(self, submission: str, cell: Mapping[str, Any]) -> tuple[dict[str, object], Scrubbed]:
        text = "".join(cell["source"])
        if cell["cell_type"] != "code":
            clean = self.in_prose(submission, text)
            return {"cell_type": "markdown", "metadata": {}, "source": clean.text}, clean
        clean = self.in_code(submission, text)
        made: dict[str, object] = {"cell_type": "code", "metadata": {}, "outputs": []}
        return made | {"execution_count": None, "source": clean.text}, clean

    def _maybe(self, text: str) -> list[str]:
        """Return the capitalized words that are part of a name in this course."""
        words = (word[0] for word in WORD.finditer(text))
        found = (word for word in words if word[0].isupper() and word.casefold() in self._parts)
        return list(dict.fromkeys(found))

    def _replace_everywhere(self, text: str, new: str) -> None:
        first = WORD.search(text)
        if first:
            known = text[first.start() :].casefold()
            self._full[first[0].casefold()].setdefault(known, new)
            self._patterns.pop(first[0].casefold(), None)

    def _full_names(self, text: str) -> str:
        made, end = list[str](), 0
        for word in WORD.finditer(text):
            found = self._full_name(text, word) if word.start() >= end else None
            if found:
                new = self._full[word[0].casefold()][found[0].casefold()]
                made += [text[end : found.start()], new]
                end = found.end()
        clean = "".join((*made, text[end:]))
        return HOME.sub(r"\1student", EMAIL.sub(SOMEBODY, clean))

    def _full_name(self, text: str, word: re.Match[str]) -> re.Match[str] | None:
        """Match the longest full name that starts with this word."""
        first = word[0].casefold()
        if first not in self._full:
            return None
        if first not in self._patterns:
            self._patterns[first] = _whole_words(sorted(self._full[first], key=len, reverse=True))
        return self._patterns[first].match(text, word.start())


def _replace(lines: list[str], token: tokenize.TokenInfo, text: str) -> None:
    """Replace a token in its lines; later tokens must have been replaced before."""
    (first, begin), (last, end) = token.start, token.end
    whole = lines[first - 1][:begin] + text + lines[last - 1][end:]
    lines[first - 1 : last] = [whole, *[""] * (last - first)]


def _spellings(words: Sequence[str]) -> Iterator[str]:
    """Yield a name as people write it: in both orders, in one word, as a login."""
    for order in (words, words[::-1]):
        for sign in (" ", "_", ".", "-", ""):
            yield sign.join(order)


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", name)


def _whole_words(texts: Iterable[str]) -> re.Pattern[str]:
    """Match any of the texts as whole words; earlier texts take precedence."""
    either = "|".join(map(re.escape, texts)) or r"(?!)"
    return re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])", re.IGNORECASE)
