"""A number as people type it: `1e2`, `3/4`, `1/sqrt(2)`, `94.8 %`, `0,5`."""

import re

import numpy as np

from graders.written.formula import FormulaError, evaluate, parse
from graders.written.judgement import Unreadable

LARGEST = 1e6
_PLAIN = re.compile(r"[+-]?(?:\d{1,30}\.?\d{0,30}|\.\d{1,30})(?:[eE][+-]?\d{1,3})?")
_INFINITE = re.compile(r"[+-]?\s*\\?(?:nan|inf|infty|infinity|∞)", re.IGNORECASE)
_DECIMAL = re.compile(r"([+-]?)(?:0,(\d+)|(\d+),(\d{1,2}|\d{4,}))")
_LABEL = re.compile(r"^[^=≈:\n]{0,60}?(?::=|=|≈|:|\\approx)\s*(?=\S)")
_PERCENT = re.compile(r"\s*(?:\\?%|percent|per cent|pct\.?)\s*$", re.IGNORECASE)
_UNIT = re.compile(r"(?<=[\d)}])\s+\(?[A-Za-z][A-Za-z \-]{2,40}\)?$")
_MINUS = str.maketrans({"−": "-", "–": "-", "\N{FULLWIDTH HYPHEN-MINUS}": "-", "\xa0": " "})


def read_number(text: str, *, percent: bool = False) -> float:
    """The number; where the item speaks of percent, always in percent."""
    line = " ".join(text[:400].translate(_MINUS).split()).strip("$`* ")
    line = _last_side(line)
    signed = _PERCENT.search(line)
    if signed and not percent:
        raise Unreadable("No percentage is asked for: write the number without a percent sign.")
    if signed:
        line = line[: signed.start()]
    value = cell(_with_point(_UNIT.sub("", line.rstrip(" .;,"))))
    return value * 100 if percent and not signed and abs(value) <= 1 else value


def cell(text: str) -> float:
    """The number that a short expression comes to; raises Unreadable for anything else."""
    text = text.strip().strip("$")
    if _PLAIN.fullmatch(text):
        return _bounded(float(text), text)
    if _INFINITE.fullmatch(text):
        raise Unreadable(f"`{text}` is not a number that can be used: write finite numbers.")
    try:
        value = evaluate(parse(text, ()), {})
    except FormulaError as error:
        raise Unreadable(f"{error.message}\n{error.pointed()}") from None
    if np.ndim(value):
        raise Unreadable(f"`{text[:40]}` is not a number.")
    return _bounded(float(value), text)


def _bounded(value: float, text: str) -> float:
    if not abs(value) <= LARGEST:  # NaN as well
        raise Unreadable(
            f"`{text[:40]}` is not between -1,000,000 and 1,000,000: write smaller numbers."
        )
    return value


def _last_side(line: str) -> str:
    """What stands behind the last `=`, `≈` or label."""
    for _ in range(4):
        if (found := _LABEL.match(line)) is None:
            break
        line = line[found.end() :]
    return line


def _with_point(line: str) -> str:
    """A comma that can only be a decimal one, as a point."""
    found = _DECIMAL.fullmatch(line.strip())
    if found is None:
        return line
    return f"{found[1]}{found[3] or 0}.{found[2] or found[4]}"
