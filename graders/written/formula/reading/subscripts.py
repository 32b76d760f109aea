"""Read a name with its subscripts: `k_a`, `k_{a}`, `x1`, `q_i^{pos}`."""

import re

from graders.written.formula.errors import FormulaError
from graders.written.formula.reading.characters import GREEK
from graders.written.formula.reading.marked import Marked
from graders.written.formula.vocabulary import Vocabulary

# Matches `_a` or `_{a,b}` or `_(a)`.
BELOW = re.compile(r"\s*_\s*(?:\{([^{}]*)\}|\(([^()]*)\)|([A-Za-z0-9]+|[α-ωΑ-Ω]))")
# Matches `^{pos}` or `^(pos)`.
ABOVE = re.compile(
    r"\s*\^\s*(?:\{\s*\(?\s*([A-Za-z]+)\s*\)?\s*\}|\(\s*([A-Za-z]+)\s*\)|([A-Za-z]{2,}))"
)
DIGITS = re.compile(r"\d+")
SPACES = re.compile(r"[\s{}_]")
LONGEST_WORD = 20


def read_name(marked: Marked, words: Vocabulary, base: str, end: int) -> tuple[str, int]:
    """Return the name that begins with this base, and where it ends."""
    if known := words.joined.get(base):
        return known, end
    below: list[str] = []
    text = marked.text
    digits = DIGITS.match(text, end)
    if digits and words.numbered(base, digits[0]):
        below, end = [digits[0]], digits.end()
    while True:
        match = BELOW.match(text, end)
        if match:
            more, end = subscripts(marked, words, (base, *below), match)
        else:
            match = ABOVE.match(text, end)
            more = [said(match)] if match else []
            if match is None or not words.extends(base, [*below, *more]):
                return words.find(base, below) or "_".join((base, *below)), end
            end = match.end()
        below += more


def said(match: re.Match[str]) -> str:
    """Return the text inside the brackets of a match, or the text without brackets."""
    return next(group for group in match.groups() if group is not None)


def subscripts(
    marked: Marked, words: Vocabulary, name: tuple[str, ...], match: re.Match[str]
) -> tuple[list[str], int]:
    """Return the subscripts of one `_` and where they end."""
    base, *below = name
    if (run := match[3]) is not None and len(run) > 1:
        size = unbraced(words, (base, *below), run)
        return [run[:size]], match.start(3) + size
    parts = [SPACES.sub("", part) for part in said(match).split(",")]
    found = ["".join(GREEK.get(letter, letter) for letter in part) for part in parts]
    joined = "".join(found)
    if not joined.isalnum() or len(joined) > LONGEST_WORD:
        raise FormulaError("This subscript cannot be read.", marked.origin[match.start()])
    return found if words.extends(base, [*below, *found]) else [joined], match.end()


def unbraced(words: Vocabulary, name: tuple[str, ...], run: str) -> int:
    """Return the length of a subscript without braces: `k_ak_b` is a product if `k_a` is known."""
    base, *below = name
    for size in range(min(len(run), LONGEST_WORD), 0, -1):
        if words.find(base, [*below, run[:size]]):
            return size
    if run[0].isdigit():
        return len(run) - len(run.lstrip("0123456789"))
    follows = words.indexed(base) and words.extends(run[1:], ())
    return 1 if follows else len(run)
