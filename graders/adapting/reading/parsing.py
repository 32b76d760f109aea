"""Parse source into top-level statements; a syntax error affects only its own statement."""

import ast
import re
import sys
import warnings
from bisect import bisect_left
from dataclasses import dataclass

from graders.adapting.reading.python312 import for_earlier_versions

MAX_TEXT = 4_000_000  # characters of one piece
MAX_REWRITTEN = 200_000
MAX_BROKEN = 100  # statements of one piece; the text after them is not read
MAX_WORK = 50_000_000  # characters parsed for one piece
IS_OLD = sys.version_info < (3, 12)  # a student's Python may be newer
DEFINES = re.compile(r"(async\s+def|def|class)\s")
CONTINUES = re.compile(r"\s|[)\]}#]|(else|elif|except|finally)\b|$")

Chunk = tuple[int, str]  # the number of lines above, and the text


@dataclass(frozen=True, slots=True)
class Broken:
    """A statement that is not valid Python: its error, and the first line of its text."""

    error: SyntaxError
    first: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """Statements in order, with their line numbers in the piece."""

    statements: tuple[ast.stmt, ...]
    broken: tuple[Broken, ...] = ()


def parse(text: str, filename: str) -> Parsed:
    """Return the statements of this text, without those that do not parse."""
    if len(text) > MAX_TEXT:
        return Parsed((), (Broken(_error("the text is too long", filename, 1, ""), ""),))
    outcome = _parsed(text, filename)
    if isinstance(outcome, SyntaxError) and IS_OLD and len(text) <= MAX_REWRITTEN:
        text = for_earlier_versions(text)
        outcome = _parsed(text, filename)
    return Parsed(tuple(outcome)) if isinstance(outcome, list) else _salvaged(text, filename)


def _parsed(text: str, filename: str, before: int = 0) -> list[ast.stmt] | SyntaxError:
    """Return the statements of a text that follows `before` other lines, or the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings such as for "\d" don't matter here
            body = ast.parse(text, filename).body
    except SyntaxError as error:
        line = None if error.lineno is None else error.lineno + before
        return _error(error.msg, filename, line, error.text or "")
    except ValueError as error:  # a zero byte
        return _error(str(error), filename, None, "")
    except (RecursionError, MemoryError):
        return _error("it is nested too deeply", filename, None, "")
    for node in body if before else ():
        ast.increment_lineno(node, before)
    return body


def _error(message: str, filename: str, line: int | None, text: str) -> SyntaxError:
    return SyntaxError(message, (filename, line, None, text))


def _salvaged(text: str, filename: str) -> Parsed:
    """Return what parses in a text with errors; statements with an error are skipped."""
    chunks = _chunks(text.split("\n"))
    statements: list[ast.stmt] = []
    broken: list[Broken] = []
    at = 0
    limit = min(MAX_BROKEN, MAX_WORK // len(text))
    while at < len(chunks) and len(broken) < limit:
        good, fault, at = _up_to_error(chunks, at, filename)
        statements += good
        broken += [fault] if fault else []
    return Parsed(tuple(statements), tuple(broken))


def _up_to_error(
    chunks: list[Chunk], at: int, filename: str
) -> tuple[list[ast.stmt], Broken | None, int]:
    """Return the statements up to an invalid one, that one, and the chunk to continue with."""
    end, fault = len(chunks), None
    while end > at:
        joined = "\n".join(text for _, text in chunks[at:end])
        outcome = _parsed(joined, filename, chunks[at][0])
        if isinstance(outcome, list):
            return outcome, fault, end + (fault is not None)
        if outcome.lineno is None and end - at > 1:  # somewhere in it: look at half of it
            end, fault = (at + end) // 2, None
            continue
        end = min(_chunk_of(chunks, outcome.lineno or 0, at), end - 1)
        outcome.lineno = outcome.lineno or chunks[end][0] + 1
        fault = Broken(outcome, _heading_line(chunks[end][1]))
    return [], fault, at + 1


def _chunk_of(chunks: list[Chunk], line: int, at: int) -> int:
    """Return the number of the chunk that contains a line, not before `at`."""
    return max(bisect_left(chunks, line, key=lambda chunk: chunk[0]) - 1, at)


def _chunks(lines: list[str]) -> list[Chunk]:
    """Split lines into chunks that start at the margin, each with the number of lines above it."""
    margins = [at for at, line in enumerate(lines) if not CONTINUES.match(line)]
    starts = [
        at
        for before, at in zip([None, *margins], margins, strict=False)
        if before is None or not lines[before].startswith("@")
    ]
    pairs = zip(starts, [*starts[1:], len(lines)], strict=True)
    return [(start, "\n".join(lines[start:end])) for start, end in pairs]


def _heading_line(text: str) -> str:
    """Return the first line that defines something, below the decorators."""
    lines = text.split("\n")
    return next((line for line in lines if DEFINES.match(line)), lines[0])
