"""Parse a printed number: `.9`, `90 %`, `6637/6920`, `**62,17**`, `5·10⁻⁵`."""

import re
from dataclasses import dataclass
from fractions import Fraction

LONGEST = 200  # characters of a cell that are read as a number
LARGEST_EXPONENT = 400
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPTED = re.compile(r"10([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
# Matches `\textbf{0.93}`.
_COMMAND = re.compile(
    r"\\(?:textbf|mathbf|textit|underline|emph|text|mathrm|num|bm)\s*\{([^{}]*)\}"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,40}>")
# Matches `**` or `$` or `\left`.
_DRESS = re.compile(r"\*\*|__|[`$~†‡★✓✔☑]|\\(?:left|right|,|;|!|quad)(?![A-Za-z])|\{,\}")
# Matches `6,920` or `1_000_000`; `76,758 %` has a decimal comma.
_GROUPED = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:[,'_\u00a0\u202f]\d{3})+(?![\d,]|\s?%)")
_COMMA = re.compile(r"(?<![\d.,])(\d+),(\d+)(?![\d.,])")  # `93,2`
# A comma that only a decimal comma can be: `121,40` or `0,815`; and a point between digits.
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])(?:\d+,(?:\d{1,2}|\d{4,})|0+,\d+)(?![\d.,])")
_POINT = re.compile(r"\d\.\d")
_HEADER = re.compile(r"^[^\d\n|]*[A-Za-z]\s?,\s?[A-Za-z][^\d\n|]*$", re.MULTILINE)  # `epoch,dev`
# After a cross the minus sign is enough: pasted text loses its superscripts (`5 × 10-5`).
_POWER = re.compile(
    r"\s*(?:\\times|\\cdot|[×·x*])\s*10(?:\s*(?:\^|\*\*)\{?\s*([+-]?\d{1,4})\s*\}?|(-\d{1,2})(?!\d))"
)
# Matches `10^-5` or `10**{-5}`.
_BARE_POWER = re.compile(r"(?<![\d.])10\s*(?:\^|\*\*)\{?\s*([+-]?\d{1,4})\s*\}?")
# Matches `856/1427` or `856 out of 1427`.
_COUNT = re.compile(r"(?<![\d.])(\d{1,9})\s*(?:/|\bof\b|\bout of\b)\s*(\d{1,9})(?![\d.])")
# Matches `0.93` or `.9` or `-1e-4`.
_NUMBER = re.compile(
    r"(?<![\w.])[+-]?(?:\d{1,120}(?:\.\d{0,120})?|\.\d{1,120})(?:[eE][+-]?\d{1,6})?(?![A-Za-z]?\w)"
)
_PERCENT = re.compile(r"%|\bpercent\b|\bper cent\b", re.IGNORECASE)
# Matches `nan` or `-inf` or `∞`.
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity|∞|\\infty)\b|∞", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Figure:
    """A printed number: its exact value, the unit of its last digit, and k of n if it is a ratio.

    `unit` is 0 if the value is exact, such as 6637/6920.
    """

    text: str
    value: Fraction
    unit: Fraction
    percent: bool = False
    count: tuple[int, int] | None = None

    @property
    def share(self) -> Fraction:
        """The value as a fraction of 1: 93.2 means 93.2%, with or without the sign."""
        return self.value * self._to_share

    @property
    def share_unit(self) -> Fraction:
        """The unit of the last digit, as a fraction of 1."""
        return self.unit * self._to_share

    @property
    def _to_share(self) -> Fraction:
        percent = self.percent or abs(self.value) > 1
        return Fraction(1, 100) if percent and self.unit else Fraction(1)


def figure_in(text: str) -> Figure | None:
    """Return the first number of a cell, or None if it has no finite number."""
    shown = " ".join(text[:LONGEST].split())
    plain = undressed(shown)
    count = _COUNT.search(plain)
    if count is not None and int(count[2]) > 0:
        return _counted(shown, plain, count)
    return _printed(shown, plain, None)


def with_points(text: str) -> str:
    """Return the text with points instead of all decimal commas, if it uses only commas.

    Next to `121,40`, `4,799` is no thousands. In rows below `epoch,dev`, commas are separators.
    """
    if _POINT.search(text) or _HEADER.search(text) or not _DECIMAL_COMMA.search(text):
        return text
    return _COMMA.sub(r"\1.\2", text)


def is_not_finite(text: str) -> bool:
    """Return whether the cell contains NaN, an infinity or a number that is too large to read."""
    plain = undressed(text[:LONGEST]).strip()
    if _NOT_FINITE.match(plain):
        return True
    return _NUMBER.match(plain) is not None and figure_in(plain) is None


def undressed(text: str) -> str:
    """Return the text without bold marks, tags and LaTeX, with points for decimal commas."""
    text = _TAG.sub("", text).replace("\\%", "%").replace("−", "-").replace("–", "-")
    for _ in range(3):
        text = _COMMAND.sub(r"\1", text)
    text = _SUPERSCRIPTED.sub(lambda match: "10^" + match[1].translate(_SUPERSCRIPT), text)
    text = _BARE_POWER.sub(r"1e\1", _POWER.sub(lambda match: f"e{match[1] or match[2]}", text))
    text = _DRESS.sub("", text)
    text = _GROUPED.sub(lambda match: re.sub(r"[^\d]", "", match[0]), text)
    return _COMMA.sub(r"\1.\2", text)


def _counted(shown: str, plain: str, count: re.Match[str]) -> Figure:
    """Return a number given as k of n; if there is a decimal next to it, that one is checked."""
    pair = int(count[1]), int(count[2])
    rest = plain[: count.start()] + " " + plain[count.end() :]
    beside = _printed(shown, rest, pair)
    return beside or Figure(shown, Fraction(*pair), Fraction(0), False, pair)


def _printed(shown: str, plain: str, count: tuple[int, int] | None) -> Figure | None:
    number = _NUMBER.search(plain)
    if number is None:
        return None
    mantissa, _, exponent = number[0].lower().partition("e")
    power = int(exponent or 0)
    if abs(power) > LARGEST_EXPONENT:
        return None
    decimals = len(mantissa.partition(".")[2])
    scale = Fraction(10) ** power
    value = Fraction(mantissa if mantissa[-1] != "." else mantissa[:-1]) * scale
    unit = Fraction(1, 10**decimals) * scale
    return Figure(shown, value, unit, bool(_PERCENT.search(plain)), count)
