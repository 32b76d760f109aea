"""What stands around an answer and is not part of it."""

import re

LONGEST = 20_000  # characters of one answer that are read
_MARKS = re.compile(r"[*`$_\"'“”‘’«»]+|\\(?:text|mathrm|mathbf|textbf|boxed|left|right)\b|[{}~]")
_LEAD = re.compile(
    r"^(?:(?:my|the|final|correct|right|best|i|would|say|think|choose|pick|select|it|that|this|"
    r"is|answer|answers|option|options|choice|choices|statement|claim|letter|letters|student|"
    r"are|ans|a\.?:|should|be)\b[\s:=,]*)+",
    re.IGNORECASE,
)


def without_marks(text: str) -> str:
    """The text without Markdown and LaTeX marks, on single spaces a line."""
    lines = (" ".join(_MARKS.sub(" ", line).split()) for line in text[:LONGEST].splitlines())
    return "\n".join(line for line in lines if line)


def without_lead(text: str) -> str:
    """The text without `The answer is` and the like."""
    rest = _LEAD.sub("", text).lstrip(" :=")
    return rest or text


def plain(text: str) -> str:
    """The words alone, for a comparison: no case, no punctuation."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
