"""What stands below and above the sign of a sum: its index and its bounds."""

import re
from dataclasses import dataclass

from graders.written.formula.errors import FormulaError
from graders.written.formula.marked import Marked

BELOW = re.compile(
    r"\s*_\s*(?:\{([^{}]*)\}|\(([^()]*)\)|([A-Za-z]\s*=\s*\d+|[A-Za-z](?![A-Za-z])|\d+))"
)
ABOVE = re.compile(r"\s*\^\s*(?:\{([^{}]*)\}|\(([^()]*)\)|(\d+|[A-Za-z]))|\s*(⊤)")
DOTS = r"(?:…|\.\.+|,\s*(?:…|\.\.+)\s*,|\bto\b|:)"
FORMS = (
    re.compile(rf"\s*(?P<index>[A-Za-z])\s*=(?P<low>.+?){DOTS}(?P<high>.+)", re.DOTALL),
    re.compile(r"(?P<low>[^≤<]+)[≤<]=?\s*(?P<index>[A-Za-z])\s*(?:≤|<=)(?P<high>.+)", re.DOTALL),
    re.compile(r"\s*(?P<index>[A-Za-z])\s*=(?P<low>.+)", re.DOTALL),
    re.compile(r"\s*(?P<index>[A-Za-z])\s*(?:[∈≤<].*)?", re.DOTALL),
    re.compile(r"\s*(?P<index>)(?P<low>\d+)\s*"),
)


@dataclass(frozen=True, slots=True)
class Header:
    """The index, the bounds as far as they are given, and where all this ends."""

    index: str
    low: Marked | None
    high: Marked | None
    end: int


def header(marked: Marked, start: int) -> Header:
    """The bounds that stand behind a sum's sign, below before above or the other way round."""
    text = marked.text
    below = BELOW.match(text, start)
    above = ABOVE.match(text, below.end() if below else start)
    if below is None and above:
        below = BELOW.match(text, above.end())
    end = max([start, *(match.end() for match in (below, above) if match)])
    high = inside(marked, above) if above else None
    if below is None:
        return Header("", None, high, end)
    index, low, last = lower(inside(marked, below))
    return Header(index, low, high or last, end)


def inside(marked: Marked, match: re.Match[str]) -> Marked:
    """What a bound says, without its brackets; a raised T is the number here."""
    group = next(index for index in range(1, match.re.groups + 1) if match[index] is not None)
    part = marked.part(*match.span(group))
    return Marked(part.text.replace("⊤", "T"), part.origin)


def lower(bound: Marked) -> tuple[str, Marked | None, Marked | None]:
    """The index and the bounds that are written below."""
    for form in FORMS:
        if match := form.fullmatch(bound.text):
            given = match.groupdict()
            ends = (
                bound.part(*match.span(name)) if given.get(name) else None
                for name in ("low", "high")
            )
            return match["index"], *ends  # type: ignore[return-value]
    raise FormulaError("A sum needs an index, as in sum_i or sum_{i=1}^{m}.", bound.origin[0])
