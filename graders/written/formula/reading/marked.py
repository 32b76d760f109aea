"""Rewrite text while each character keeps its position in what the student typed."""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Marked:
    """A text and, for each of its characters and its end, an index in the student's text."""

    text: str
    origin: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> "Marked":
        return cls(text, tuple(range(len(text) + 1)))

    def part(self, start: int, end: int) -> "Marked":
        return Marked(self.text[start:end], self.origin[start : end + 1])

    def replace(self, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> "Marked":
        """Replace each match; the replacement gets the position of the match's start."""
        text: list[str] = []
        origin: list[int] = []
        end = 0
        for match in pattern.finditer(self.text):
            put = new(match)
            text += self.text[end : match.start()], put
            origin += self.origin[end : match.start()]
            origin += [self.origin[match.start()]] * len(put)
            end = match.end()
        return Marked("".join((*text, self.text[end:])), (*origin, *self.origin[end:]))

    def unwrap(self, pattern: re.Pattern[str], left: str, right: str) -> "Marked":
        """Replace each match by its first group between `left` and `right`."""
        text: list[str] = []
        origin: list[int] = []
        end = 0
        for match in pattern.finditer(self.text):
            first, last = match.span(1)
            text += self.text[end : match.start()], left, match[1], right
            origin += self.origin[end : match.start()]
            origin += [self.origin[match.start()]] * len(left)
            origin += self.origin[first:last]
            origin += [self.origin[last]] * len(right)
            end = match.end()
        return Marked("".join((*text, self.text[end:])), (*origin, *self.origin[end:]))
