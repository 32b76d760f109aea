"""Read what is below and above: the subscripts of `k_{a}` and `q_i^{pos}`, the bounds of a sum."""

import re
from dataclasses import dataclass

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
    if name := words.joined.get(base):
        return name, end
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
            more = [inner_text(match)] if match else []
            if match is None or not words.extends(base, [*below, *more]):
                return words.find(base, below) or "_".join((base, *below)), end
            end = match.end()
        below += more


def inner_text(match: re.Match[str]) -> str:
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
    parts = [SPACES.sub("", part) for part in re.split(r"[,_]", inner_text(match))]
    spelled = ["".join(GREEK.get(letter, letter) for letter in part) for part in parts]
    joined = "".join(spelled)
    if not joined.isalnum() or len(joined) > LONGEST_WORD:
        raise FormulaError("This subscript cannot be read.", marked.origin[match.start()])
    return spelled if words.extends(base, [*below, *spelled]) else [joined], match.end()


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


# Matches `_{i=1}` or `_i`.
SUM_BELOW = re.compile(
    r"\s*_\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|\(([^()]*)\)"
    r"|([A-Za-z]\s*=\s*\d+|[A-Za-z](?![A-Za-z])|\d+))"
)
SUM_ABOVE = re.compile(
    r"\s*\^\s*(?:\{([^{}]*)\}|\(([^()]*)\)|(\d+|[A-Za-z]))|\s*(⊤)"
)  # `^{n}` or `^n`
DOTS = r"(?:…|\.\.+|,\s*(?:…|\.\.+)\s*,|\bto\b|:)"
OF_LIST = re.compile(  # `i ∈ {a, b}` and `i = a, b`
    r"\s*(?P<index>[A-Za-z])\s*(?:(?:∈|\bin\b)\s*[({](?P<set>[^(){}…]*)[)}]"
    r"|=(?P<list>[^(){}…,]+(?:,[^(){}…,]+)+))\s*"
)
OF_NAME = re.compile(r"\s*[A-Za-z]\s*(?:∈|\bin\b)\s*[^\W\d]\w*\s*")  # `i ∈ S`
MEMBERS = "∈"  # separates an index from its members
MEMBER = re.compile(r"\w{1,9}")
SUM_FORMS = (
    re.compile(rf"\s*(?P<index>[A-Za-z])\s*=(?P<low>.+?){DOTS}(?P<high>.+)", re.DOTALL),
    re.compile(r"(?P<low>[^≤<]+)[≤<]=?\s*(?P<index>[A-Za-z])\s*(?:≤|<=)(?P<high>.+)", re.DOTALL),
    re.compile(r"\s*(?P<index>[A-Za-z])\s*=(?P<low>.+)", re.DOTALL),
    re.compile(r"\s*(?P<index>[A-Za-z])\s*(?:(?:[∈≤<]|\bin\b).*)?", re.DOTALL),
    re.compile(r"\s*(?P<index>)(?P<low>\d+)\s*"),
)


@dataclass(frozen=True, slots=True)
class Header:
    """The index, the bounds that are given, and where they end.

    `over` are the members of the index if they are listed one by one.
    """

    index: str
    low: Marked | None
    high: Marked | None
    end: int
    over: tuple[str, ...] = ()


def header(marked: Marked, start: int) -> Header:
    """Return the bounds after a sum's sign, in either order."""
    text = marked.text
    below = SUM_BELOW.match(text, start)
    above = SUM_ABOVE.match(text, below.end() if below else start)
    if below is None and above:
        below = SUM_BELOW.match(text, above.end())
    end = max([start, *(match.end() for match in (below, above) if match)])
    high = inside(marked, above) if above else None
    if below is None:
        return Header("", None, high, end)
    bound = inside(marked, below)
    if members := OF_LIST.fullmatch(bound.text):
        return listed(bound, members, end)
    if OF_NAME.fullmatch(bound.text):
        raise FormulaError("State which terms the sum runs over.", bound.origin[0])
    index, low, last = lower(bound)
    return Header(index, low, high or last, end)


def listed(bound: Marked, members: re.Match[str], end: int) -> Header:
    """Return the listed members of a sum; consecutive numbers are bounds."""
    name = "set" if members["set"] is not None else "list"
    first = members.start(name)
    matches = list(MEMBER.finditer(bound.text, first, members.end(name)))
    over = tuple(match[0] for match in matches)
    if ",".join(over) != "".join(members[name].split()) or not over:
        raise FormulaError("The terms of this sum cannot be read.", bound.origin[0])
    if not all(member.isdecimal() for member in over):
        return Header(members["index"], None, None, end, over)
    if [int(member) for member in over] != list(range(int(over[0]), int(over[0]) + len(over))):
        raise FormulaError("Write out this sum, term by term.", bound.origin[0])
    low, high = (bound.part(*match.span()) for match in (matches[0], matches[-1]))
    return Header(members["index"], low, high, end)


def inside(marked: Marked, match: re.Match[str]) -> Marked:
    """Return the text of a bound, without its brackets; a raised T is a number here."""
    group = next(index for index in range(1, match.re.groups + 1) if match[index] is not None)
    part = marked.part(*match.span(group))
    return Marked(part.text.replace("⊤", "T"), part.origin)


def lower(bound: Marked) -> tuple[str, Marked | None, Marked | None]:
    """Return the index and the bounds that are written below the sign."""
    for form in SUM_FORMS:
        if match := form.fullmatch(bound.text):
            groups = match.groupdict()
            ends = (
                bound.part(*match.span(name)) if groups.get(name) else None
                for name in ("low", "high")
            )
            return match["index"], *ends  # type: ignore[return-value]
    raise FormulaError("A sum needs an index, as in sum_i or sum_{i=1}^{m}.", bound.origin[0])
