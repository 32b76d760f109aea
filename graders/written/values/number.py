"""Parse a number as people type it: `1e2`, `3/4`, `1/sqrt(2)`, `94.8 %`, `0,5`."""

import re
from collections.abc import Iterable
from math import isclose

import numpy as np

from graders.written.formula import FormulaError, evaluate, parse
from graders.written.question import Unreadable
from graders.written.values.words import denies, narrow

LARGEST = 1e12
# Matches `12` or `.5` or `1e2`.
_PLAIN = re.compile(r"[+-]?(?:\d{1,30}\.?\d{0,30}|\.\d{1,30})(?:[eE][+-]?\d{1,3})?")
# Matches `inf` or `\infty`.
_INFINITE = re.compile(r"[+-]?\s*\\?(?:nan|inf|infty|infinity|∞)", re.IGNORECASE)
_DECIMAL = re.compile(r"([+-]?)(?:0,(\d+)|(\d+),(\d{1,2}|\d{4,}))")  # `0,5` or `12,75`
_LABEL = re.compile(r"^[^=≈:\n]{0,60}?(?::=|=|≈|:|\\approx)\s*(?=\S)")  # `n = 12`
# Matches ` %` or `percent`.
_PERCENT = re.compile(r"\s*(?:\\?%|percent|per cent|pct\.?)\s*$", re.IGNORECASE)
# Matches `12 hidden units`.
_UNIT = re.compile(r"(?<=[\d)}])\s+\(?[^\W\d_][^\W\d]*(?:[ \-][^\W\d_]+){0,5}\)?$")
_SHARE = re.compile(r"(?<=\d)\s*\(\s*\d[\d.,]*\s*\\?%\s*\)$")  # `6920 (72 %)`
# Matches `million`, which is no unit.
_MULTIPLE = re.compile(r"\d\W{0,3}(?:hundred|thousand|million|billion|tausend|mill?ion\w*)\b", re.I)
# Matches `6,920` or `1.000.000`.
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:([.,' _\u2009\u202f])\d{3})(?:\1\d{3})*")
# Matches `about` or `≈`.
_ABOUT = re.compile(
    r"^(?:~|≈|∼|about|around|approx(?:imately|\.)?|circa|ca\.?|exactly|exakt|etwa)\s*", re.I
)
_ONE = re.compile(r"(?<![\w.,])[+-]?\d[\d.,]*(?![\w])")  # `6,920`
_SIDES = re.compile(r":=|[=≈]|\\approx\b")
CLOSE = 0.02  # of a number and its rounded value on the other side of `=`, as a fraction
_MINUS = str.maketrans({"−": "-", "–": "-", "\N{FULLWIDTH HYPHEN-MINUS}": "-", "\xa0": " "})


def read_number(text: str, *, percent: bool = False) -> float:
    """Return the number; for an item in percent, always in percent."""
    return read_numbers(text, percent=percent)[0]


def read_numbers(text: str, *, percent: bool = False) -> tuple[float, ...]:
    """Return all possible numbers: the point of `6.920` may separate thousands or decimals."""
    line = " ".join(narrow(text[:400]).translate(_MINUS).split()).strip("$`* ")
    sides = _SIDES.split(line)
    line = _ABOUT.sub("", _last_side(line))
    signed = _PERCENT.search(line)
    if signed and not percent:
        raise Unreadable("The answer is not a percentage; write the number without a percent sign.")
    if signed:
        line = line[: signed.start()]
    if _MULTIPLE.search(line):
        raise Unreadable("Write the number in digits, such as `1234567`.")
    line = _UNIT.sub("", _SHARE.sub("", line.rstrip(" .;,"))).strip("*_` ")
    values = _grouped(line) or (_value(line),)
    _refuse_unequal(sides[:-1], values, (1, 100, 0.01) if percent else (1,))
    return tuple(
        value * 100 if percent and not signed and abs(value) <= 1 else value for value in values
    )


def _refuse_unequal(sides: Iterable[str], values: Iterable[float], scales: Iterable[float]) -> None:
    """Raise Unreadable if another side of `=` is a different number: `67349 = 6920`.

    A rounded number is equal, and after one of the scales a percentage: `1727/1821 = 94.8 %`.
    """
    scaled = [value * scale for value in values for scale in scales]
    for side in sides:
        pairs = [(other, value) for other in _numbers(side) for value in scaled]
        if pairs and not any(isclose(*pair, rel_tol=CLOSE, abs_tol=1e-9) for pair in pairs):
            raise Unreadable("The numbers on both sides of `=` are different; write only one.")


def _numbers(side: str) -> tuple[float, ...]:
    """Return the possible values of a side of `=`, none if it is no number, such as `n`."""
    side = _PERCENT.sub("", _ABOUT.sub("", _last_side(side).strip("$*_` ")))
    side = _UNIT.sub("", side)
    if not re.search(r"\d", side) or re.search(r"log|!", side):  # of a base that is not named
        return ()
    try:
        return _grouped(side) or (cell(_with_point(side)),)
    except Unreadable:
        return ()


def _grouped(line: str) -> tuple[float, ...]:
    """Return a number with separated thousands; if there is one separator, both readings."""
    match = _THOUSANDS.fullmatch(line)
    if match is None:
        return ()
    whole = float(re.sub(r"[^\d+-]", "", line))
    decimal = match[1] in (".", ",") and len(re.findall(r"[.,]", line)) == 1
    return (whole, float(line.replace(",", "."))) if decimal else (whole,)


def _value(line: str) -> float:
    try:
        return cell(_with_point(line))
    except Unreadable:
        numbers = _ONE.findall(line)
        if len(numbers) != 1 or denies(line) or not re.search(r"[^\W\d_]{2}", line):
            raise
        number = numbers[0].rstrip(".,")
        return (_grouped(number) or (cell(_with_point(number)),))[0]


def cell(text: str) -> float:
    """Return the value of a short expression. Raises Unreadable for anything else."""
    text = text.strip().strip("$")
    if _PLAIN.fullmatch(text):
        return _bounded(float(text), text)
    if _INFINITE.fullmatch(text):
        raise Unreadable(f"`{text}` is not a usable number; write finite numbers.")
    try:
        value = evaluate(parse(text, ()), {})
    except FormulaError as error:
        raise Unreadable(f"{error.message}\n{error.pointed()}") from None
    if np.ndim(value):
        raise Unreadable(f"`{text[:40]}` is not a number.")
    return _bounded(float(value), text)


def _bounded(value: float, text: str) -> float:
    if not abs(value) <= LARGEST:  # also rejects NaN
        raise Unreadable(f"`{text[:40]}` is too large; write smaller numbers.")
    return value


def _last_side(line: str) -> str:
    """Return the text after the last `=`, `≈` or label."""
    for _ in range(4):
        if (match := _LABEL.match(line)) is None:
            break
        line = line[match.end() :]
    return line


def _with_point(line: str) -> str:
    """Replace a comma that can only be a decimal comma by a point."""
    match = _DECIMAL.fullmatch(line.strip())
    if match is None:
        return line
    return f"{match[1]}{match[3] or 0}.{match[2] or match[4]}"
