"""Read named values from sentences, lists and logs: `lr=1e-4`, `Dev accuracy: 90 %`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from graders.written.audits.reading.columns import Names, meaning, meanings
from graders.written.audits.reading.figure import Figure, figure_in, undressed
from graders.written.audits.reading.table import Line

LONGEST_LINE = 500
MOST_CHARACTERS = 15_000  # characters of sentences that are searched
_VALUE = (
    r"(?:\d{1,9}\s*/\s*\d{1,9}|[+-]?(?:\d{1,20}(?:,\d{1,9})*(?:\.\d{1,40})?|\.\d{1,40})"
    r"(?:[eE][+-]?\d{1,6})?)(?:\s*%)?"
)
# Matches `lr = 1e-4` or `Dev accuracy: 90`.
_NAMED = re.compile(
    r"(?P<name>[A-Za-zηα][\w \-/.()']{0,60}?)[\"']?\s{0,3}"
    r"(?P<sign>:|=|\bis\b|\bare\b|\bof\b|\bwas\b|\bwere\b|→|->|,?\s)\s{0,3}(?:about\s|\{[^{}]{0,30}:\s*)?"
    rf"(?P<value>{_VALUE})(?!\w|\.\d)"
)
_NEXT = re.compile(rf"\s*(?:,|/|;|\band\b|&)\s*({_VALUE})(?!\w|\.\d)")  # `, 93.2`
_SPLIT = r"train(?:ing)?|dev(?:elopment)?|val(?:id(?:ation)?)?|test(?:ing)?"
# Matches `93.2 on the dev`.
_AFTER = re.compile(
    rf"(?<![\w.])(?P<value>{_VALUE})\s*(?:accuracy\s*)?(?:\bon\b|\bfor\b|\bin\b|\()\s*"
    rf"(?:the\s+)?(?P<name>{_SPLIT})\b",
    re.IGNORECASE,
)
# Matches `7 epochs` or `10 training epochs`.
_BEFORE = re.compile(
    r"(?<![\w.])(\d{1,5})[\s-]+(?:training\s+)?epochs?\b(?:\s+of\s+(?:training|fine-?tuning))?",
    re.IGNORECASE,
)
# Matches `batches of 64` or `batch of size 64`.
_BATCHES = re.compile(r"\bbatch(?:es)?\s+of\s+(?:size\s+)?(\d{1,6})\b", re.IGNORECASE)
# Matches `chosen: yes`.
_CHOSEN = re.compile(r"\bchosen[\"']?\s*[:=]\s*[\"']?(?:yes|true|x|1|✓)\b", re.IGNORECASE)
# Matches `model: roberta-base`.
_LABEL = re.compile(
    r"\b(?:model|name|method|run)(?:_name)?[\"']?\s*[:=]\s*[\"']?([\w./\-]{2,60})(?![\w./\-]|\s*[=:])",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_PLAIN_SIGNS = (",", "")


@dataclass(frozen=True, slots=True)
class Named:
    """A value with its canonical name and its line; `text` if it is not a number."""

    line: int
    name: str
    figure: Figure | None = None
    text: str = ""


def pairs_in(lines: Iterable[Line], further: Names | None = None) -> Iterator[Named]:
    left = MOST_CHARACTERS
    for at, line in lines:
        if left > 0 and (_DIGIT.search(line[:LONGEST_LINE]) or _CHOSEN.search(line[:LONGEST_LINE])):
            left -= min(len(line), LONGEST_LINE)
            yield from _of_line(at, undressed(line[:LONGEST_LINE]), further)


def _of_line(at: int, line: str, further: Names | None) -> Iterator[Named]:
    if label := _LABEL.search(line):
        yield Named(at, "label", text=label[1])
    after = list(_AFTER.finditer(line))
    rest = _AFTER.sub(lambda match: "|" * len(match[0]), line)
    counted = list(_counted(rest))
    rest = _BEFORE.sub(lambda match: "|" * len(match[0]), rest)
    values = [*_named(rest, further), *counted]
    values += [(match.start(), meaning(match["name"]), match["value"]) for match in after]
    for _, name, value in sorted(values):
        figure = figure_in(value)
        if figure is not None:
            yield Named(at, name, figure)
    if _CHOSEN.search(line):
        yield Named(at, "chosen", text="yes")


def _counted(line: str) -> Iterator[tuple[int, str, str]]:
    """Yield the values in phrases such as `7 epochs` and `batches of 64`."""
    for name, pattern in (("epochs", _BEFORE), ("batch_size", _BATCHES)):
        for match in pattern.finditer(line):
            yield match.start(), name, match[1]


def _named(line: str, further: Names | None) -> Iterator[tuple[int, str, str]]:
    for match in _NAMED.finditer(line):
        several = meanings(match["name"].replace(" and ", "/"), further)
        if len(several) == 2:  # `training and dev accuracy are 95.9 %, 93.2 %`
            second = _NEXT.match(line, match.end())
            if second is not None:
                yield match.start("value"), several[0], match["value"]
                yield second.start(1), several[1], second[1]
            continue
        name = _canonical(match, line, further)
        bare = match["sign"].strip() in _PLAIN_SIGNS
        sure = (
            not bare
            or name in ("lr", "batch_size", "epochs")
            or re.search(r"[.%/]", match["value"]) is not None
        )
        after = line[match.end() : match.end() + 8].strip().casefold()
        if name and sure and not (bare and after.startswith(("acc", "epoch"))):
            yield match.start("value"), name, match["value"]


def _canonical(match: re.Match[str], line: str, further: Names | None) -> str:
    """Return the meaning of a name; the split of `accuracy` may be named earlier in the line."""
    words = re.split(r"[(,/]| - ", match["name"])[-1].split()[-5:]
    name = meaning(" ".join(words), further)
    if name == "accuracy":
        before = meaning(line[max(0, match.start() - 60) : match.end("name")], further)
        return before if before in ("train", "dev", "test") else name
    return "" if name in ("label", "chosen") else name
