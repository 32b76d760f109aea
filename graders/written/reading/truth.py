"""Whether a student says true or false, with or without a reason behind it."""

import re

from graders.written.judgement import Unreadable
from graders.written.reading.words import without_marks

_ASKED = re.compile(
    r"^\s*(?:true\s*(?:or|/)\s*false|yes\s*(?:or|/)\s*no|t\s*/\s*f)\s*\??\s*[:\-–—]+", re.I
)
_WORD = re.compile(
    r"(?P<no>\b(?:not|isn.?t|is\s+not|cannot\s+be|can.?t\s+be|never|hardly)\s+(?:\w+\s+)?)?"
    r"\b(?P<word>true|false|yes|no|nope|yep|yeah|correct|incorrect|wrong|right|wahr|falsch|ja|nein)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"^[\s(\[]*(?P<letter>[tfynTFYN])[\s)\]]*(?:[.,:;\-–—]|$|\s+because\b|\s+since\b)"
)
_EITHER = re.compile(r"\s*(?:/|\bor\b|\band\b|\|)\s*(?:true|false|yes|no|t|f)\b", re.IGNORECASE)
_TRUE = frozenset(["true", "yes", "yep", "yeah", "correct", "right", "wahr", "ja", "t", "y"])
_FAR = 120  # characters in which the verdict is looked for
REMEDY = "begin the answer with True or False, and give the reason behind it"


def read_truth(text: str) -> bool:
    """The verdict that an answer begins with; raises Unreadable where there is none."""
    line = _ASKED.sub("", without_marks(text).replace("\n", " "))
    if found := _LETTER.match(line):
        _refuse_either(line, found.end("letter"))
        return found["letter"].casefold() in _TRUE
    word = _WORD.search(line[:_FAR])
    if word is None:
        raise Unreadable(f"It does not say whether it is true or false: {REMEDY}.")
    _refuse_either(line, word.end())
    return (word["word"].casefold() in _TRUE) != (word["no"] is not None)


def _refuse_either(line: str, end: int) -> None:
    if _EITHER.match(line, end):
        raise Unreadable(f"This says both: {REMEDY}.")
