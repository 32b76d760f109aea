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
GENERIC = re.compile(rf"^(\s*(?:async\s+def|def|class)\s+\w+)\s*{BRACKETS}", re.MULTILINE)
ALIAS = re.compile(rf"^(\s*)type\s+(\w+)\s*(?:{BRACKETS})?\s*=", re.MULTILINE)
QUOTES = ('"', "'", '"""', "'''")
PAIRS = {"(": ")", "[": "]", "{": "}"}


class Unclosed(Exception):
    """A string has no end, or cannot be rewritten."""


def for_earlier_versions(text: str) -> str:
    """Return the text rewritten; what cannot be is left as it is."""
    plain = ALIAS.sub(r"\1\2 =", GENERIC.sub(r"\1", text))
    try:
        return _code(plain, 0, "")[0]
    except RecursionError:
        return plain


def _code(text: str, at: int, ends: str) -> tuple[str, int]:
    """Rewrite code until one of these characters outside brackets; return it and where it ends.

    Without `ends`, it is the whole text. With them, the code is inside an f-string.
    """
    parts: list[str] = []
    closing: list[str] = []
    while at < len(text):
        here = text[at]
        if ends and not closing and here in ends and text[at : at + 2] != "!=":
            return "".join(parts), at
        if string := STRING.match(text, at):
            part, at = _string(text, string, inside=bool(ends))
        elif here == "#":
            end = (text + "\n").index("\n", at)
            part, at = "" if ends else text[at:end], end
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


def _string(text: str, start: re.Match[str], *, inside: bool) -> tuple[str, int]:
    """Rewrite the string that starts here; return it and where it ends."""
    try:
        pieces, end = _pieces(text, start)
        if "f" in (start[1] or "").lower():
            return _joined(start, pieces, inside=inside), end
    except Unclosed:
        if inside:
            raise
        return start[0], start.end()
    literal = text[start.start() : end]
    return _without_backslash(literal) if inside and "\\" in literal else literal, end


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a string: its text, and whether it is code between braces."""

    text: str
    is_code: bool = False


def _pieces(text: str, start: re.Match[str]) -> tuple[list[Piece], int]:
    """Return the parts of a string and where it ends."""
    quote, is_f = start[2] or start[3], "f" in (start[1] or "").lower()
    pieces: list[Piece] = []
    at = start.end()
    while not text.startswith(quote, at):
        width = 2 if text[at : at + 2] in ("{{", "}}") or text[at : at + 1] == "\\" else 1
        if at >= len(text) or (text[at] == "\n" and len(quote) == 1):
            raise Unclosed
        if is_f and width == 1 and text[at] == "{":
            field, at = _field(text, at)
            pieces.append(Piece(field, is_code=True))
        else:
            name = re.compile(r"\\N\{[^}]*\}").match(text, at)
            end = name.end() if name else at + width
            pieces.append(Piece(text[at:end]))
            at = end
    return pieces, at + len(quote)


def _field(text: str, at: int) -> tuple[str, int]:
    """Rewrite `{expression!r:format}`; return it and where it ends."""
    code, at = _code(text, at + 1, "!:}")
    parts = ["{", code]
    while text[at] != "}":
        if text[at] == "{":
            part, at = _field(text, at)
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
    value = ast.literal_eval(literal)
    if isinstance(value, bytes):
        return f"bytes({tuple(value)})"
    return f"''.join(map(chr, {tuple(map(ord, value))}))"
