r"""Rewrite what Python 3.12 added to the syntax, above all in f-strings, for earlier versions.

    f"{row["text"]}"      ->  f'{row["text"]}'
    f"{"\n".join(lines)}"  ->  f"{''.join(map(chr, (10,))).join(lines)}"

Between the braces, earlier versions allow no backslash, no comment and none of the f-string's own
quotes. They have no type parameters (`class Box[T]:`) and no `type` statements, either: the former
are left out, the latter become assignments. Lines keep their numbers.
"""

import ast
import re
from dataclasses import dataclass

STRING = re.compile(r"\b([rRbBuUfF]{1,2})?('''|\"\"\"|'|\")|(?<!\w)('''|\"\"\"|'|\")")
BRACKETS = r"\[(?:[^][\n]|\[[^][\n]*\])*\]"
GENERIC = re.compile(
    rf"^([ \t]*(?:async[ \t]+def|def|class)[ \t]+\w+)[ \t]*{BRACKETS}", re.MULTILINE
)
ALIAS = re.compile(rf"^([ \t]*)type[ \t]+(\w+)[ \t]*(?:{BRACKETS})?[ \t]*=", re.MULTILINE)
COMMENT = re.compile(r"#[^\n]*")
NAMED = re.compile(r"\\N\{[^}]*\}")
WORK = 20  # steps for each character of a text; nested strings that never end would take more
QUOTES = ('"', "'", '"""', "'''")
PAIRS = {"(": ")", "[": "]", "{": "}"}


class Unclosed(Exception):
    """A string has no end, or cannot be rewritten."""


class TooMuchWork(Exception):
    """The text is not worth reading on."""


def for_earlier_versions(text: str) -> str:
    """Return the text rewritten; what cannot be is left as it is."""
    plain = ALIAS.sub(r"\1\2 =", GENERIC.sub(r"\1", text))
    try:
        return _Rewriter(plain, WORK * len(plain)).code(0, "")[0]
    except (RecursionError, TooMuchWork):
        return plain


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a string: its text, and whether it is code between braces."""

    text: str
    is_code: bool = False


class _Rewriter:
    """Rewrites one text in a limited number of steps."""

    def __init__(self, text: str, steps: int) -> None:
        self.text = text
        self._left = steps

    def _step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooMuchWork

    def code(self, at: int, ends: str) -> tuple[str, int]:
        """Rewrite code until one of these characters outside brackets; return it and where it ends.

        Without `ends`, it is the whole text. With them, the code is inside an f-string.
        """
        text = self.text
        parts: list[str] = []
        closing: list[str] = []
        while at < len(text):
            self._step()
            here = text[at]
            if ends and not closing and here in ends and text[at : at + 2] != "!=":
                return "".join(parts), at
            if string := STRING.match(text, at):
                part, at = self._string(string, inside=bool(ends))
            elif comment := COMMENT.match(text, at):
                part, at = "" if ends else comment[0], comment.end()
            else:
                part, at = here, at + 1
                if here in PAIRS:
                    closing.append(PAIRS[here])
                elif closing and here == closing[-1]:
                    closing.pop()
            parts.append(part)
        if ends:
            raise Unclosed
        return "".join(parts), at

    def _string(self, start: re.Match[str], *, inside: bool) -> tuple[str, int]:
        """Rewrite the string that starts here; return it and where it ends."""
        text = self.text
        try:
            pieces, end = self._pieces(start)
            if "f" in (start[1] or "").lower():
                return _joined(start, pieces, inside=inside), end
        except Unclosed:
            if inside:
                raise
            return start[0], start.end()
        literal = text[start.start() : end]
        return _without_backslash(literal) if inside and "\\" in literal else literal, end

    def _pieces(self, start: re.Match[str]) -> tuple[list[Piece], int]:
        """Return the parts of a string and where it ends."""
        text = self.text
        quote, is_f = start[2] or start[3], "f" in (start[1] or "").lower()
        pieces: list[Piece] = []
        at = start.end()
        while not text.startswith(quote, at):
            self._step()
            width = 2 if text[at : at + 2] in ("{{", "}}") or text[at : at + 1] == "\\" else 1
            if at >= len(text) or (text[at] == "\n" and len(quote) == 1):
                raise Unclosed
            if is_f and width == 1 and text[at] == "{":
                field, at = self._field(at)
                pieces.append(Piece(field, is_code=True))
            else:
                name = NAMED.match(text, at)
                end = name.end() if name else at + width
                pieces.append(Piece(text[at:end]))
                at = end
        return pieces, at + len(quote)

    def _field(self, at: int) -> tuple[str, int]:
        """Rewrite `{expression!r:format}`; return it and where it ends."""
        text = self.text
        code, at = self.code(at + 1, "!:}")
        parts = ["{", code]
        while text[at] != "}":
            self._step()
            if text[at] == "{":
                part, at = self._field(at)
            else:
                part, at = text[at], at + 1
            parts.append(part)
            if at >= len(text):
                raise Unclosed
        return "".join([*parts, "}"]), at + 1


def _joined(start: re.Match[str], pieces: list[Piece], *, inside: bool) -> str:
    """Return the f-string of these pieces, with quotes that its code does not contain."""
    prefix, own = start[1], start[2]
    code = "".join(piece.text for piece in pieces if piece.is_code)
    words = "".join(piece.text for piece in pieces if not piece.is_code)
    for quote in (own, *QUOTES):
        fits = quote not in code and (len(quote) == 3 or "\n" not in code + words)
        escapes = quote != own and quote[0] in words
        if fits and not (escapes and (inside or "r" in prefix.lower())):
            escaped = {quote[0]: f"\\{quote[0]}"} if escapes else {}
            body = "".join(
                piece.text if piece.is_code else escaped.get(piece.text, piece.text)
                for piece in pieces
            )
            if not (inside and "\\" in body):
                return f"{prefix}{quote}{body}{quote}"
    raise Unclosed


def _without_backslash(literal: str) -> str:
    """Return an expression for the value of a string literal, without a backslash."""
    try:
        value = ast.literal_eval(literal)
    except (
        SyntaxError,
        ValueError,
    ):  # such as "C:\\Users", in which \\U begins a character's number
        raise Unclosed from None
    if isinstance(value, bytes):
        return f"bytes({tuple(value)})"
    return f"''.join(map(chr, {tuple(map(ord, value))}))"
