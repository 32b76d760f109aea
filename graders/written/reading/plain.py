"""Inspect a value as text: whether it is empty, and what kind of answer it looks like.

Nothing here parses mathematics; it only tells formulas from sentences well enough to divide an
answer whose parts are not named.
"""

import re

from graders.written.formula.reading.characters import GREEK
from graders.written.question import Kind

# Matches `TODO` or `...` or `<your answer>`.
_PLACEHOLDER = re.compile(
    r"(?:todo|tbd|fixme|\.{2,}|…+|\?+|_{2,}|[-–—]+|n/?a|none given|idk|no idea|no answer|"
    r"(?:i )?(?:do not|don['’]t) know(?: yet)?|skip(?:ped)?|not done|unanswered|"
    r"<(?!img\b|[-−+\d.][-−+\d.,;\s]*>)[^<>\n]{0,60}>|\[?your answer(?: here)?\.*\]?|"
    r"\(?not answered\)?)[.!]?",
    re.IGNORECASE,
)
_WRAPPERS = (
    ("$$", "$$"), ("$", "$"), (r"\[", r"\]"), (r"\(", r"\)"),
    ("**", "**"), ("__", "__"), ("`", "`"),
)  # fmt: skip
_BOXED = "\\boxed{"
_BULLET = re.compile(r"^[-*+]\s+(?=\S)")
# Matches `- [1, 2]` or `- 2 * x`.
_BULLET_OF_LIST = re.compile(r"^[-*+]\s+(?=[\[(<⟨A-Za-z]|\d[\d.,]*\s?[*·×])")
# Matches `~~x~~` or `<s>x</s>`.
_STRUCK = re.compile(r"~~(?=\S)[^~\n]{1,400}~~|<(?:s|del|strike)>[^<>\n]{1,400}</(?:s|del|strike)>")
_CHOICE = re.compile(r"\(?[A-Za-z]\)?(?:[.:)](?:\s.*)?|)$", re.DOTALL)  # `B` or `(b) because`
# Matches `A, C` or `[A and C]`.
_CHOICES = re.compile(r"[\[({]*[A-Za-z][])}]*(?:\s*(?:,|;|\band\b|&|\s)\s*\(?[A-Za-z][])}]*)*\.?$")
_TRUTH = re.compile(r"\b(?:true|false|yes|no|t|f|wahr|falsch|correct|incorrect)\b", re.IGNORECASE)
_NUMBERS = re.compile(r"[\s\d.,;:+\-−/*^()\[\]{}|&\\%eE]*")
LONGEST_LINE = 2000  # characters that are looked at to tell a formula from a sentence
LONGEST_CHOICE = 3  # words of a choice, as in `it isn't possible`, or of a row in a table
_WORD = re.compile(r"(?<![\\_A-Za-z{])[A-Za-z]{3,}(?![A-Za-z_])")
_OPERATOR = re.compile(r"[*+=^/]|\\[a-z]")
_BESIDE = (*"*+-/^=()[]{},−·", "")
# Matches `np.zeros(3)` or `the zero vector`.
_ZERO = re.compile(
    r"(?:(?:np|numpy|torch)\.)?zeros(?:\(.{0,30}\))?|(?:the )?(?:zero|null) vector", re.IGNORECASE
)
_TABLE = re.compile(r"\d")
_ANY_WORD = re.compile(r"(?<![\\_A-Za-z{])(?:[^\W\d_]{3,}|[぀-ヿ㐀-䶿一-鿿])(?![A-Za-z_])")
# Words that occur in formulas.
NOTATION = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "lambda", "sigma", "theta", "omega", "kappa",
    "sqrt", "log", "exp", "sum", "outer", "norm", "min", "max", "inf", "diag", "inv", "pinv",
    "top", "transpose", "prod", "eye", "identity", "softmax", "dot", "cdot", "times", "rho",
    "tau", "phi", "psi", "chi", "eta", "zeta", "array", "torch", "tensor", "numpy", "matrix",
    "frac", "left", "right", "text", "mathbf", "begin", "end", "bmatrix", "pmatrix", "for",
})  # fmt: skip
# Matches `, where β` or `for large β`.
_CONDITION = re.compile(
    r"(?<!\s)\s*+(?:[,;.(]\s*+)?(?:\\(?:q?quad|[ ,;])\s*+)?"  # `*+`: blanks are read once
    r"(?:\\(?:text|mbox|textrm|mathrm)\s?\{\s?)?"
    r"(?<![\\\w])(?:where|with|for|when|because|since|as|if|such that|s\.t\.|assuming|given)"
    r"(?!\w)"
    r"|\s(?:(?:trainable|learnable|extra)\s)?(?:parameters?|params|scalars|in total|per layer)\b"
    r"(?!\s*[=:])",
    re.IGNORECASE,
)
# A formula after the words, which may be the answer: `2T - 1 parameters per head, so m(2T - 1)`.
_CONCLUSION = re.compile(
    r"\b(?:so|therefore|hence|thus|i\.e\.|total(?:ly)?|altogether|together|overall|gives|makes|means|"
    r"also|daher|insgesamt|donc|entonces|quindi)[\s:,=$]*(?:\d(?:[A-Za-z(]|\s[A-Za-z]\b|\s?[*·×])"
    r"|[A-Za-z]\()",
    re.IGNORECASE,
)
# A scalar that vanishes or is negative: `c → 0`, `c ≪ 1`, `c → -∞`.
_SCALAR = rf"(?:{'|'.join(dict.fromkeys(GREEK.values()))}|[A-Za-z]|[α-ω]|\\[a-z]{{2,8}})"
_HOW = (
    r"(?:(?:is|are|being|be|an?|some|any|very|large|big|huge|quite|really|extremely|sufficiently|"
    r"arbitrarily|vanishingly|and|sehr|très|muy)\s){0,5}"
)
_SMALL = r"(?:small|tiny|negativ\w*|infinitesimal\w*|klein\w*|petite?|négatif|pequeño)\b"
# Matches `c → 0` or `c ≪ 1` or `c is close to zero` or `small c`.
VANISHES = re.compile(
    rf"(?<![\w_^/{{}}])(?!a\s(?!is\b)[a-z])(?P<name>{_SCALAR})\$?\s{{0,9}}(?:"  # `a small t`
    r"(?:→|->|⟶|\\(?:long)?(?:to|rightarrow)\b)\s{0,9}(?:0|[-−]\s{0,9}(?:∞|\\infty|inf|oo))"
    r"|(?:≪|<<|\\ll\b)|\|?\s{0,9}(?:<|≤|\\leq?\b)\s{0,9}[01]\b(?!\.\d)"
    r"|(?:∈|\\in\b)\s{0,9}[(\[]\s{0,9}0\s{0,9}[,;]\s{0,9}1\s{0,9}[)\]]"
    rf"|{_HOW}(?:{_SMALL}|(?:(?:close|near|next|tends?|tending|goes|going|shrinks?|converg\w+)(?:\sto)?|"
    r"near(?:ly|ing)|approach\w*|below|under|(?:less|smaller)\sthan)\s\$?(?:0|zero|one|1)\b(?!\.\d)))"
    rf"|\b{_SMALL}\s(?:(?:and\s)?(?:positive|constant|scalar|number|factor|value)\s){{0,2}}"
    rf"\$?(?P<scalar>{_SCALAR})(?!\w)"
)
# A letter of a size that is used for a constant: `n ≫ 1` or `where d is a large number`.
LARGE = re.compile(
    r"(?<![\w^\\])(?P<name>[ndh])\$?\s{0,3}(?:≫|>>|\\gg\b|→|->|\\to\b|(?:is|be|being)?\s{0,3}"
    r"(?:(?:an?|any|some|very|sufficiently|arbitrarily)\s){0,3}(?:large|big|huge)\b)"
    r"|\b(?:large|big|huge)\s\$?(?P<after>[ndh])(?!\w)"
)
_SPACING = re.compile(r"^(?:[\s,;]|\\q?quad\b)+")
_MUCH = re.compile(r"(?<!\\)[,;(—][^,;()]*(?:>>|≫|\\gg|→|\\to\b|->|⟶|\\rightarrow|\blarge\b)")


def is_empty(text: str) -> bool:
    """Return whether the text is empty or only a placeholder for an answer."""
    return not text.strip() or _PLACEHOLDER.fullmatch(text.strip()[:200]) is not None


def bare(text: str, kind: Kind | None) -> str:
    """Return the value without Markdown and LaTeX around it: fences, `$`, bold, a bullet."""
    text = _STRUCK.sub(" ", text).strip()
    for _ in range(4):
        before = text
        text = _unfenced(text)
        for start, end in _WRAPPERS:
            inner = text[len(start) : -len(end)]
            wrapped = len(text) > len(start) + len(end) and text.startswith(start)
            if wrapped and text.endswith(end) and start not in inner and end not in inner:
                text = inner.strip()
        if text.startswith(_BOXED) and text.endswith("}"):
            text = text[len(_BOXED) : -1].strip()
        below_zero = kind in ("number", "vector", "matrix")  # `- 3` may be a number
        text = (_BULLET_OF_LIST if below_zero else _BULLET).sub("", text)
        if kind == "formula":
            text = text.rstrip(" ,;.")
        if text == before:
            break
    return text


def _unfenced(text: str) -> str:
    first, *rest = text.split("\n")
    mark = first[:3]
    if mark in ("```", "~~~") and rest and rest[-1].strip().startswith(mark):
        return "\n".join(rest[:-1]).strip()
    return text


def is_like(text: str, kind: Kind | None) -> bool:
    """Return whether the text looks more like an answer of this kind than like a sentence."""
    text = " ".join(bare(text, kind)[:LONGEST_LINE].split())
    match kind:
        case "choice":
            return _CHOICE.match(text) is not None or len(text.split()) <= 3
        case "choices":
            return _CHOICES.match(text) is not None
        case "true_false":
            return _TRUTH.search(text[:60]) is not None
        case "table":
            return _TABLE.search(text) is not None
        case "number" | "vector" | "matrix":
            numbers = _NUMBERS.fullmatch(text) or _ZERO.fullmatch(text.rstrip("."))
            return numbers is not None or _is_formula(text)
        case _:
            return _is_formula(text)


def _is_formula(text: str) -> bool:
    """Return whether a line has no words except names with operators next to them."""
    value, _ = without_condition(text)
    words = [word for word in _WORD.finditer(value) if word.group().casefold() not in NOTATION]
    if words and not _OPERATOR.search(value):
        return False
    return bool(value) and all(
        value[: word.start()].rstrip()[-1:] in _BESIDE
        and value[word.end() :].lstrip()[:1] in _BESIDE
        for word in words
    )


def has_words(text: str) -> bool:
    """Return whether there are words of any language in addition to the notation."""
    return any(word.casefold() not in NOTATION for word in _ANY_WORD.findall(text[:LONGEST_LINE]))


def explains(text: str, kind: Kind | None) -> bool:
    """Return whether a value of this kind contains words that may be an explanation."""
    if kind in ("choice", "choices", "true_false"):
        return len(text.split()) > LONGEST_CHOICE
    if kind == "table":
        lines = (line for line in text.split("\n") if not line.lstrip().startswith("|"))
        return any(len(_ANY_WORD.findall(line[:LONGEST_LINE])) > LONGEST_CHOICE for line in lines)
    return has_words(text)


def without_condition(text: str) -> tuple[str, str]:
    """Split a formula from the words after it: `β(k_a+k_b)` and `where β is large`."""
    if len(text) > LONGEST_LINE:
        return text, ""
    cuts = [match.start() for match in (_CONDITION.search(text), _MUCH.search(text)) if match]
    if not cuts or min(cuts) == 0 or "\n" in text.strip():
        return text, ""
    value, words = text[: min(cuts)], text[min(cuts) :]
    if _CONCLUSION.search(words):
        return text, ""
    for mark in ("$$", "$"):
        if value.count(mark) % 2:
            value, words = value.replace(mark, ""), words.replace(mark, "")
    return value.strip(), _SPACING.sub("", words).strip()
