"""Read what is below and above the sign of a sum: its index and its bounds."""

import re
from dataclasses import dataclass

from graders.written.formula.errors import FormulaError
from graders.written.formula.reading.marked import Marked

# Matches `_{i=1}` or `_i`.
BELOW = re.compile(
    r"\s*_\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|\(([^()]*)\)"
    r"|([A-Za-z]\s*=\s*\d+|[A-Za-z](?![A-Za-z])|\d+))"
)
ABOVE = re.compile(r"\s*\^\s*(?:\{([^{}]*)\}|\(([^()]*)\)|(\d+|[A-Za-z]))|\s*(⊤)")  # `^{n}` or `^n`
DOTS = r"(?:…|\.\.+|,\s*(?:…|\.\.+)\s*,|\bto\b|:)"
OF_LIST = re.compile(  # `i ∈ {a, b}` and `i = a, b`
    r"\s*(?P<index>[A-Za-z])\s*(?:(?:∈|\bin\b)\s*[({](?P<set>[^(){}…]*)[)}]"
    r"|=(?P<list>[^(){}…,]+(?:,[^(){}…,]+)+))\s*"
)
OF_NAME = re.compile(r"\s*[A-Za-z]\s*(?:∈|\bin\b)\s*[^\W\d]\w*\s*")  # `i ∈ S`
MEMBERS = "∈"  # separates an index from its members
MEMBER = re.compile(r"\w{1,9}")
FORMS = (
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
    below = BELOW.match(text, start)
    above = ABOVE.match(text, below.end() if below else start)
    if below is None and above:
        below = BELOW.match(text, above.end())
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
    found = list(MEMBER.finditer(bound.text, first, members.end(name)))
    over = tuple(each[0] for each in found)
    if ",".join(over) != "".join(members[name].split()) or not over:
        raise FormulaError("The terms of this sum cannot be read.", bound.origin[0])
    if not all(each.isdecimal() for each in over):
        return Header(members["index"], None, None, end, over)
    if [int(each) for each in over] != list(range(int(over[0]), int(over[0]) + len(over))):
        raise FormulaError("Write out this sum, term by term.", bound.origin[0])
    low, high = (bound.part(*each.span()) for each in (found[0], found[-1]))
    return Header(members["index"], low, high, end)


def inside(marked: Marked, match: re.Match[str]) -> Marked:
    """Return the text of a bound, without its brackets; a raised T is a number here."""
    group = next(index for index in range(1, match.re.groups + 1) if match[index] is not None)
    part = marked.part(*match.span(group))
    return Marked(part.text.replace("⊤", "T"), part.origin)


def lower(bound: Marked) -> tuple[str, Marked | None, Marked | None]:
    """Return the index and the bounds that are written below the sign."""
    for form in FORMS:
        if match := form.fullmatch(bound.text):
            given = match.groupdict()
            ends = (
                bound.part(*match.span(name)) if given.get(name) else None
                for name in ("low", "high")
            )
            return match["index"], *ends  # type: ignore[return-value]
    raise FormulaError("A sum needs an index, as in sum_i or sum_{i=1}^{m}.", bound.origin[0])
