"""Find numbers that an answer mentions but that could not be read from it."""

import re
from collections.abc import Iterable

from graders.written.judgement import Unreadable

SEARCHED = 60_000  # characters
_WORDS = {
    "lr": (r"lr|learning[ _-]?rates?|step[ _-]?sizes?|lernrate|taux|tasa", "学习率"),
    "epochs": (r"epochs?|epochen|époques?|épocas?|эпох\w*", "轮"),
    "batch_size": (r"batch\w*|bs|bsz", "批"),
    "train": (r"train\w*|tr|entraînement|entrenamiento", "训练"),
    "dev": (r"dev\w*|val\w*|eval\w*", "验证"),
    "test": (r"test\w*|prueba", "测试"),
    "perplexity": (r"perplex\w*|ppl|pplx", "困惑度"),
    "choice": (r"best|chos\w+|choose|select\w*|pick\w*|final\w*|winner|gewählt|choisi\w*", "选择"),
}
_MENTIONS = {  # Chinese has no spaces between words
    name: re.compile(rf"(?<![^\W_])(?:{words})(?![^\W\d_])|{chinese}", re.IGNORECASE)
    for name, (words, chinese) in _WORDS.items()
}


_HEADER = re.compile(r"^.*\n(?=[ \t]*\|?[ \t]*:?-[-:| \t]*$)", re.MULTILINE)


def mentions(text: str, name: str) -> bool:
    """Return whether a text mentions this kind of number; a column `chosen` is not a choice."""
    searched = text[:SEARCHED]
    if name == "choice":
        searched = _HEADER.sub("", searched)
    return name in _MENTIONS and _MENTIONS[name].search(searched) is not None


def refuse_unread(text: str, missing: Iterable[str]) -> None:
    """Raise Unreadable if a missing value is mentioned, so that it may be present after all."""
    unread = [name for name in missing if mentions(text, name)]
    if unread and re.search(r"\d", text[:SEARCHED]):
        names = ", ".join(each.replace("_", " ") for each in unread)
        raise Unreadable(f"The answer mentions this, but it could not be read: {names}.")
