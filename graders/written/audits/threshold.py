"""Check whether an accuracy reaches a threshold, and whether n items are enough to tell."""

import math
from fractions import Fraction
from typing import Literal

from graders.statistics import is_borderline, share_in_words
from graders.written.audits.finding import Finding

Reached = Literal["pass", "borderline", "fail"]


def reached(k: int, n: int, threshold: Fraction) -> Reached:
    """Return `pass` or `fail` if the Wilson interval is on one side, else `borderline`."""
    if is_borderline(k, n, threshold):
        return "borderline"
    return "pass" if k >= math.ceil(threshold * n) else "fail"


def threshold_finding(name: str, k: int, n: int, threshold: Fraction) -> Finding:
    """Return the finding on k of n and a threshold; k decides, the interval only adds a caveat."""
    state = reached(k, n, threshold)
    enough = k >= math.ceil(threshold * n)
    words = f"{name}: {share_in_words(k, n)}, {float(threshold):.0%} required"
    verdict = "reached" if enough else "not reached"
    doubt = f"; {n} items are too few to be sure" if state == "borderline" else ""
    severity: Literal["fine", "note", "suspicious"] = "fine" if enough else "suspicious"
    severity = "note" if enough and doubt else severity
    sentence = f"{words}: {verdict}{doubt}."
    return Finding("threshold", severity, sentence, sentence, ((name, f"{k}/{n}"),))
