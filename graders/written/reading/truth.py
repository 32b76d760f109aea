"""Whether a student says true or false, with or without a reason behind it."""

import re

from graders.written.judgement import Misfit, Unreadable
from graders.written.reading.words import without_marks

_ASKED = re.compile(
    r"^\s*(?:true\s*(?:or|/)\s*false|yes\s*(?:or|/)\s*no|t\s*/\s*f)\s*\??\s*[:\-–—]+", re.I
)
_TRUE_WORDS = (
    *("true", "yes", "yep", "yeah", "correct", "right", "wahr", "richtig", "ja", "vrai", "oui"),
    *("verdadero", "cierto", "sí", "si", "vero", "verdadeiro", "sim", "верно", "да", "правда"),
)
_FALSE_WORDS = (
    *("false", "no", "nope", "incorrect", "wrong", "untrue", "falsch", "unwahr", "nein", "faux"),
    *("non", "falso", "falsa", "não", "неверно", "нет", "ложь", "nee", "waar niet"),
)
_WORD = re.compile(
    r"(?P<no>\b(?:not|isn.?t|is\s+not|cannot\s+be|can.?t\s+be|never|hardly)\s+(?:\w+\s+)?)?"
    rf"\b(?P<word>{'|'.join((*_TRUE_WORDS, *_FALSE_WORDS))})\b",
    re.IGNORECASE,
)
_SIGNS = re.compile(
    r"\W*(?P<no>不对|不正确|不是|不|错误|错|假|否|無|いいえ|✗|✘|❌)|\W*(?:正确|对|真|是|はい|✓|✔|✅)"
)
_LETTER = re.compile(
    r"^[\s(\[]*(?P<letter>[tfynTFYN])[\s)\]]*(?:[.,:;\-–—]|$|\s+because\b|\s+since\b)"
)
_EITHER = re.compile(r"\s*(?:/|\bor\b|\band\b|\|)\s*(?:true|false|yes|no|t|f)\b", re.IGNORECASE)
_TRUE = frozenset((*_TRUE_WORDS, "t", "y"))
FEW_WORDS = 4  # before a verdict that the answer begins with
_FAR = 120  # characters in which the verdict is looked for
REMEDY = "begin the answer with True or False, and give the reason behind it"


def read_truth(text: str) -> bool:
    """The verdict that an answer begins with; raises Unreadable where it is not clear."""
    line = _ASKED.sub("", without_marks(text).replace("\n", " "))
    if found := _LETTER.match(line):
        _refuse_either(line, found.end("letter"))
        return found["letter"].casefold() in _TRUE
    word = _WORD.search(line[:_FAR])
    if word is None:
        if sign := _SIGNS.match(line):
            return sign["no"] is None
        raise Unreadable(f"It does not say whether it is true or false: {REMEDY}.")
    _refuse_either(line, word.end())
    if len(line[: word.start()].split()) > FEW_WORDS and _differs(line[:_FAR]):
        raise Unreadable(f"It names both true and false: {REMEDY}.")
    return _says(word)


def _says(word: re.Match[str]) -> bool:
    return (word["word"].casefold() in _TRUE) != (word["no"] is not None)


def _differs(line: str) -> bool:
    """Whether some words of the line say true and others false."""
    return len({_says(each) for each in _WORD.finditer(line)}) > 1


def _refuse_either(line: str, end: int) -> None:
    if _EITHER.match(line, end):
        raise Misfit(f"This says both: {REMEDY}.")
