"""Remove the text around an answer that is not part of it."""

import re

LONGEST = 20_000  # characters of one answer that are read
OPEN, CLOSE = "([{", ")]}"
# Matches `**` or `\text`.
_MARKS = re.compile(r"[*`$_\"'“”‘’«»]+|\\(?:text|mathrm|mathbf|textbf|boxed|left|right)\b|[{}~]")
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_WIDE |= {ord("、"): ord(","), ord("。"): ord("."), ord("｡"): ord("."), 0x3000: ord(" ")}
# Matches `not` or `nicht`.
_DENIES = re.compile(
    r"\b(?:not|never|no|none|neither|nor|wrong|false|incorrect|instead|rather|except|disagree|"
    r"anything but|all but|other than|besides|apart from|unlike|without|opposite|excluding|"
    r"cannot|nicht|kein\w*|nie|falsch|statt|sondern|außer|ne|pas|jamais|faux|fausse|sauf|nunca|"
    r"falso|incorrect[oa]|excepto|não|non|mai|не|нет|неверно|кроме|niet|geen|inte|ikke|değil|nem|tidak|bukan)\b"
    r"|n['’]t\b|[不非没错除]|ではな|じゃな|아니|않|ليس|नहीं",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;:.!?—–]|\s-\s|\b(?:because|since|as|due|for|so|weil|denn|da|car|parce|porque|pois|perché|"
    r"потому|так как)\b|因为|由于",
    re.IGNORECASE,
)
# Matches `The answer is` or `答案`.
_LEAD = re.compile(
    r"^(?:(?:my|the|final|correct|right|best|i|would|say|think|choose|pick|select|it|that|this|"
    r"is|answer|answers|option|options|choice|choices|statement|statements|cases|claim|letter|"
    r"letters|student|both|just|only|"
    r"agree|with|believe|support|guess|are|ans|a\.?:|should|be|"
    r"antwort|lösung|richtig(?:e|ig)?|die|der|das|ist|la|le|el|il|o|respuesta|réponse|resposta|"
    r"risposta|correct[ao]|bonne|es|est|é|è|opción|opzione)\b[\s:=,]*"
    r"|(?:答案|正确|选项|选择|选|是|应该)[\s:=,]*)+",
    re.IGNORECASE,
)

# Matches `, ` or ` - ` or ` or `; the hyphen of a word separates nothing.
_APART = re.compile(
    r"[.,;:!?/|&+=()\[\]<>→⇒]+|(?:^|\s)[-–—]+(?=[\s>]|$)"
    r"|\b(?:and|or|resp|und|oder|et|ou|и|или)\b|[和与或]",
    re.IGNORECASE,
)
# Matches `because A, B and D fail`, which answers nothing, up to `so` or `or`.
_BECAUSE = re.compile(
    r"\b(?:because|since|weil|denn|parce que|car|porque|perché)\b.*?"
    r"(?=\b(?:so|thus|hence|therefore|or|oder|ou)\b|[.;!?]|$)",
    re.IGNORECASE,
)
_ADVERB = re.compile(
    r"^(?:(?:so|then|thus|hence|therefore|maybe|perhaps|probably|possibly|also|even|either|both"
    r"|actually|rather|better|vielleicht|peut-être)\b\s*)+|\s+(?:too|also|as well|maybe|perhaps)$",
    re.IGNORECASE,
)


def narrow(text: str) -> str:
    """Return the text with ASCII signs instead of the full-width ones of Chinese and Japanese."""
    return text.translate(_WIDE)


def without_marks(text: str) -> str:
    """Return the text without Markdown and LaTeX marks, with single spaces in each line."""
    text = narrow(text[:LONGEST])
    lines = (" ".join(_MARKS.sub(" ", line).split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def without_lead(text: str) -> str:
    """Return the text without `The answer is` and similar phrases."""
    rest = _LEAD.sub("", text).lstrip(" :=")
    return rest or text


def denies(text: str) -> bool:
    """Return whether the text contains a negation, in any of several languages."""
    return _DENIES.search(text) is not None


def first_clause(text: str) -> str:
    """Return the text up to a comma, a full stop or a reason."""
    return _CLAUSE.split(text, maxsplit=1)[0]


def plain(text: str) -> str:
    """Return only the words, for comparison: without case and punctuation."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def apart(lines: str) -> list[str]:
    """Return what stands between separators, without reasons and words such as `perhaps`."""
    pieces = _APART.split(_BECAUSE.sub(",", lines[:LONGEST].replace("\n", ", ")))
    return [_ADVERB.sub("", piece.strip()) for piece in pieces if piece.strip()]


def split_outside(text: str, signs: str) -> list[str]:
    """Split the text at these signs, outside of brackets."""
    pieces, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in OPEN) - (sign in CLOSE)
        if depth == 0 and sign in signs:
            pieces.append(text[start:at])
            start = at + 1
    return [*pieces, text[start:]]
