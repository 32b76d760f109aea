"""Read the number that a student wrote for the London baseline, with any words around it.

    5.0    0.05    5.0%    5,0 %    Correct: 25.0 out of 500.0: 5.0%    25/500 = 0.05

Every number in the file must be correct, so that listing many numbers does not help.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

NUMBER = (
    r"(?<![\w.,])[-+\u2212]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][-+]?[0-9]{1,2})?(?![0-9])"
)
# Matches `25 out of 500` or `25/500`.
RATIO = re.compile(
    rf"({NUMBER})\s*(?:correct\s+|right\s+)?(?:out\s+of|of|/)\s*(?:the\s+)?({NUMBER})"
)
# Digits with the characters of numbers: one number, or several separated only by commas.
RUN = r"(?<![\w.,])[-+\u2212]?[.,]*[0-9][0-9.,]*(?:[eE][-+]?[0-9]{1,2})?(?![0-9])"
CLAIM = re.compile(rf"({RUN})[^\S\n]*(%|per\s?cent|pct)?", re.IGNORECASE)  # `5.0%` or `0.05`

# Numbers that are not accuracies: dates, headings, other output of the script.
LABELS = re.compile(
    r"\b(?:assignment|part|question|problem|section|homework|hw|spring|winter|fall|autumn)"
    r"\s*[#:(]?\s*[0-9]+\b"
    r"|\b20[0-9]{2}-[0-9]{2}-[0-9]{2}\b|\b[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?\b"
    r"|[*x\u00d7\u00b7]\s*100(?:\.0*)?\b|\b100(?:\.0*)?\s*[*x\u00d7\u00b7]"
    r"|\b0\s*(?:-|to|\u2013|\.\.)\s*100\b"
    r"|\bdata has [0-9]+ characters, [0-9]+ unique|\bnumber of parameters: [0-9]+",
    re.IGNORECASE,
)

NO_NUMBER = Fraction(-1)  # neither a percentage nor a count
COARSEST = Fraction(1, 20)  # percentage points: "5" may mean 5.04, but not 5.3
FLOAT_NOISE = Fraction(1, 100_000)  # percentage points: 0.05000000074505806 is 0.05 in float32


@dataclass(frozen=True, slots=True)
class Claim:
    """One number as printed; `step` is the value of its last digit."""

    text: str
    value: Fraction
    step: Fraction
    is_percentage: bool

    def says(self, percentage: Fraction) -> bool:
        """Return whether the number is this percentage, or the same as a fraction."""
        return self._is(percentage, 1) or (not self.is_percentage and self._is(percentage, 100))

    def _is(self, percentage: Fraction, scale: int) -> bool:
        """Return whether it equals the percentage up to its last digit, rounded or truncated."""
        distance = abs(self.value * scale - percentage)
        return distance <= FLOAT_NOISE or (distance <= COARSEST and distance < self.step * scale)


@dataclass(frozen=True, slots=True)
class Statement:
    """All claims of a text: ratios such as 25/500, and single numbers."""

    ratios: tuple[tuple[Fraction, Fraction], ...]
    claims: tuple[Claim, ...]


def read_statement(text: str) -> Statement:
    """Return the numbers of a text; full-width digits and percent signs are accepted."""
    plain = LABELS.sub(" ", unicodedata.normalize("NFKC", text))
    ratios = tuple((_value(a), _value(b)) for a, b in RATIO.findall(plain))
    rest = RATIO.sub(" ; ", plain)
    return Statement(ratios, tuple(_claims(rest)))


def _claims(text: str) -> Iterator[Claim]:
    for run, unit in CLAIM.findall(text):
        run = run.rstrip(".,")  # the end of a sentence
        numbers = [run] if re.fullmatch(NUMBER, run) else run.split(",")
        for number in filter(None, numbers):
            yield _claim(number, unit)


def _claim(number: str, unit: str) -> Claim:
    if not re.fullmatch(NUMBER, number):  # such as 1.2.3: not an accuracy
        return Claim(number, NO_NUMBER, Fraction(0), bool(unit))
    digits, _, exponent = number.lower().replace(",", ".").partition("e")
    decimals = len(digits.partition(".")[2])
    step = Fraction(10) ** (int(exponent or 0) - decimals)
    return Claim(number + unit, _value(number), step, bool(unit))


def _value(number: str) -> Fraction:
    plain = number.lower().replace(",", ".").replace("\u2212", "-")
    return Fraction(plain.replace(".e", "e").rstrip("."))


@dataclass(frozen=True, slots=True)
class Baseline:
    """The recomputed baseline: `right` of `n` dev places are London."""

    right: int
    n: int

    @property
    def percentage(self) -> Fraction:
        return Fraction(100 * self.right, self.n)

    def false_claims(self, statement: Statement) -> list[str]:
        """Return the false parts of the statement, in its own words."""
        wrong = [
            f"{float(a):g}/{float(b):g}" for a, b in statement.ratios if not self._equals(a, b)
        ]
        return wrong + [c.text for c in statement.claims if not self._is_true(c)]

    def is_stated(self, statement: Statement) -> bool:
        """Return whether the statement contains the accuracy itself."""
        return any(claim.says(self.percentage) for claim in statement.claims) or any(
            self._equals(a, b) for a, b in statement.ratios
        )

    def _is_true(self, claim: Claim) -> bool:
        counts = () if claim.is_percentage else (self.right, self.n)
        return claim.says(self.percentage) or claim.value in counts

    def _equals(self, a: Fraction, b: Fraction) -> bool:
        return b != 0 and 100 * a / b == self.percentage
