"""Parse whether a student says true or false, with or without a reason after it."""

import re

from graders.written.question import Misfit, Unreadable
from graders.written.values.choice import ticked
from graders.written.values.words import apart, without_marks

# Matches `True or false:`.
_ASKED = re.compile(
    r"^\s*(?:true\s*(?:or|/)\s*false|yes\s*(?:or|/)\s*no|t\s*/\s*f)\s*\??\s*[:\-–—]+", re.I
)
_TRUE_WORDS = (
    "true", "yes", "yep", "yeah", "correct", "right", "wahr", "richtig", "ja", "vrai", "oui",
    "verdadero", "cierto", "sí", "si", "vero", "verdadeiro", "sim", "верно", "да", "правда",
)  # fmt: skip
_FALSE_WORDS = (
    "false", "no", "nope", "incorrect", "wrong", "untrue", "falsch", "unwahr", "nein", "faux",
    "non", "falso", "falsa", "não", "неверно", "нет", "ложь", "nee",
)  # fmt: skip
# Matches `true` or `is not correct`.
_WORD = re.compile(
    r"(?P<no>\b(?:not|isn.?t|is\s+not|cannot\s+be|can.?t\s+be|never|hardly)\s+(?:\w+\s+)?)?"
    rf"\b(?P<word>{'|'.join((*_TRUE_WORDS, *_FALSE_WORDS))})\b"
    r"(?!\s+(?:answer|choice|option|reason|one|way|idea|order|position)\b)",
    re.IGNORECASE,
)
_NO_SIGN = "不对|不正确|不是|不|错误|错|假|否|無|いいえ|✗|✘|❌"
_YES_SIGN = "正确|对|真|是|はい|✓|✔|✅"
# Matches `不对` or `✓`.
_SIGNS = re.compile(rf"\W*(?:这?是)?(?P<no>{_NO_SIGN})|\W*(?:{_YES_SIGN})")
# Matches `T.` or `(f) because`.
_LETTER = re.compile(
    r"^[\s(\[]*(?P<letter>[tfynTFYN])[\s)\]]*(?:[.,:;\-–—]|$|\s+because\b|\s+since\b)"
)
# Matches ` or false` or `/no`.
_EITHER = re.compile(r"\s*(?:/|\bor\b|\band\b|\|)\s*(?:true|false|yes|no|t|f)\b", re.IGNORECASE)
_TRUE = frozenset((*_TRUE_WORDS, "t", "y"))
_REASON = re.compile(
    r"\b(?:because|since|as|due|for|if|weil|denn|da|car|parce|porque|perché)\b|因为"
)
# Matches `false that it is no`, which denies a verdict.
_OF_VERDICT = re.compile(
    r"\b(?:false|wrong|untrue|incorrect|not true)\s+(?:that|to)\b", re.IGNORECASE
)
_WOULD = re.compile(r"\b(?:would|were|wäre|serait|sería)\b", re.IGNORECASE)
# Matches `False? No`.
_REPEATED = re.compile(
    r"^\s*(?:true|false|yes|no|wahr|falsch|ja|nein)\s*\?\s*(?=\S)", re.IGNORECASE
)
# Matches `t` or `not true` or `✗`.
_VERDICT = re.compile(
    rf"{_WORD.pattern}|(?P<letter>(?<!\w)[tfyn](?!\w))|(?P<cross>{_NO_SIGN})|(?:{_YES_SIGN})",
    re.IGNORECASE,
)
FEW_WORDS = 8  # in which two verdicts contradict each other
_FAR = 120  # characters that are searched for the verdict
REMEDY = "write only True or False on the first line, and the reason below it"


def read_truth(text: str) -> bool:
    """Return the verdict at the start of an answer. Raises Unreadable if it is not clear."""
    truth = _first_verdict(_without_question(text).replace("\n", " "))
    refuse_both(text, truth)
    return truth


def refuse_both(text: str, truth: bool) -> None:
    """Raise Unreadable if there are only verdicts, and different ones: `F, T` or `no ja`."""
    pieces = apart(_without_question(text))
    if any(_VERDICT.sub("", piece).strip() for piece in pieces):
        return
    verdicts = [_says(match) for piece in pieces for match in _VERDICT.finditer(piece)]
    if not all(said == truth for said in verdicts):
        raise Unreadable(f"It names both true and false: {REMEDY}.")


def _without_question(text: str) -> str:
    """Return the lines without `True or false:`, or the question in `False? No, it is true`."""
    lines = without_marks("\n".join(ticked(text.splitlines())))
    return _REPEATED.sub("", _ASKED.sub("", lines))


def _first_verdict(line: str) -> bool:
    if match := _LETTER.match(line):
        _refuse_either(line, match.end("letter"))
        return match["letter"].casefold() in _TRUE
    word = _WORD.search(line[:_FAR])
    if word is None:
        if sign := _SIGNS.match(line):
            return sign["no"] is None
        raise Unreadable(f"It does not say whether it is true or false: {REMEDY}.")
    _refuse_either(line, word.end())
    if _WOULD.search(line[: word.start()]):
        raise Unreadable(f"It does not clearly say whether it is true or false: {REMEDY}.")
    beginning = line[: word.end()] + _beginning(line[word.end() : _FAR])
    verdicts = [_says(match) for match in _WORD.finditer(beginning)]
    denied = _OF_VERDICT.search(beginning)
    if len(set(verdicts)) > 1 or (denied and _WORD.search(beginning, denied.end())):
        raise Unreadable(f"It names both true and false: {REMEDY}.")
    return _says(word)


def _beginning(rest: str) -> str:
    """Return the first words after a verdict, without a reason."""
    words = _REASON.split(rest, maxsplit=1)[0].split()
    return " " + " ".join(words[:FEW_WORDS])


def _says(match: re.Match[str]) -> bool:
    found = match.groupdict()
    word = found["word"] or found.get("letter")
    if word is None:
        return found["cross"] is None
    return (word.casefold() in _TRUE) != (found["no"] is not None)


def _refuse_either(line: str, end: int) -> None:
    if _EITHER.match(line, end):
        raise Misfit(f"This says both: {REMEDY}.")
