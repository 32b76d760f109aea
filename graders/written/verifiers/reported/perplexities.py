"""Verify tables of perplexities and losses by comparing each pair.

The perplexity of a single text is exp(loss). For a corpus, people often report the mean of the
texts' perplexities and the mean of their losses; the former can only be larger than exp(loss)
(Jensen's inequality). The two are equal only if the average is over tokens.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set

from graders.written.audits.finding import Finding
from graders.written.audits.reading.table import LONGEST_TEXT
from graders.written.audits.reading.texts import Cell, Measured, Texts, texts_of
from graders.written.question import Asked, Judgement, Unreadable
from graders.written.verifiers.reported.award import Award, judgement_of
from graders.written.verifiers.reported.reading import REFERENCE, mentions, refuse_unread
from graders.written.verifiers.reported.settings import TextAward, TextSettings, read_settings

# Two decimals of a loss, rounded or cut off, and a little more for the perplexity's digits.
EQUAL, BELOW = 0.0101, 0.0051
MOST = 1e12  # far above the perplexity of any trained model
# Words that may stand between the name of a text and its perplexity.
_BETWEEN = frozenset({"is", "was", "are", "were", "of", "equals", "about", "around", "ppl"})
_MICRO = re.compile(r"(?<!not )(?<!no )\bmicro(?:\b|[- ]?averag)", re.IGNORECASE)  # `micro-average`
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SAME = ({"dev", "val", "valid", "validation", "development"}, {"train", "training"})


def perplexity_table(answer: Asked) -> Judgement:
    """Grade perplexities with their losses. Settings: `TextSettings`."""
    settings = read_settings(TextSettings, answer.machine)
    text = "\n\n".join(answer.parts[part] for part in answer.machine.parts if part in answer.parts)
    micro = settings.micro or _MICRO.search(text[:LONGEST_TEXT]) is not None
    texts = texts_of(text, corpora=settings.corpora, singles=settings.singles, micro=micro)
    losses = [number for number in texts.lonely if not number.perplexity]
    unread = len(_NUMBER.findall(text[:LONGEST_TEXT])) > len(losses)
    # `Train: 401.04 (loss 5.73)` may contain a perplexity; losses alone contain none.
    if not texts.cells and len(losses) == len(texts.lonely) and (unread or not losses):
        raise Unreadable(
            "No perplexity with its loss could be read; write a table with the columns `text`, "
            "`perplexity` and `loss`, one text per line, or with the texts as columns."
        )
    _refuse_doubtful(text, texts, settings)
    words = [word for name in texts.names for word in name.split()]
    missing = [need for need in settings.need if not any(_same(word, need) for word in words)]
    if mentions(text, "perplexity") and not texts.not_finite:
        refuse_unread(text, missing)
    if missing and _unnamed(text, texts):
        raise Unreadable(
            f"The perplexity of {' and '.join(missing)} could not be found, but may be among the "
            "numbers without a name. Write the name of each text or corpus before its numbers."
        )
    why = f"The perplexity is missing for: {', '.join(missing)}."
    awards: dict[TextAward, Award] = {
        "agree": _agree(texts),
        "complete": Award(1 - len(missing) / max(len(settings.need), 1), why),
        "variants": _variants(texts, settings),
    }
    earned = [(points, awards[name]) for name, points in settings.points.items()]
    return judgement_of(earned, _findings(texts))


def _refuse_doubtful(text: str, texts: Texts, settings: TextSettings) -> None:
    """Raise Unreadable for numbers that may be no perplexities, or are those of no trained model.

    Without losses, nothing else shows that `perplexity is in figure 1` contains no perplexity.
    """
    lonely = [number for number in texts.lonely if number.perplexity]
    alone = [(number, number.figure) for number in lonely if number.figure is not None]
    names = {*settings.corpora, *settings.singles, *settings.need}
    if not texts.cells and alone:
        doubtful = any(_is_of_words(number, names) for number, _ in alone)
        if doubtful or REFERENCE.search(text[:LONGEST_TEXT]):
            raise Unreadable(
                "It is not clear which numbers are perplexities; write a table, or `name: value` "
                "for each number."
            )
    figures = [*(figure for _, figure in alone), *(cell.perplexity for cell in texts.cells)]
    extreme = [figure.text for figure in figures if figure.value == 1 or figure.value > MOST]
    extreme += [cell.perplexity.text for cell in texts.cells if cell.loss.value == 0]
    if extreme:
        raise Unreadable(f"No trained model has the perplexity {extreme[0][:40]}, or a loss of 0.")


def _is_of_words(number: Measured, names: Set[str]) -> bool:
    """Return whether other words stand between the name of a text and its number."""
    words = " ".join(number.key[1:]).split() if number.key[0] == "" else []
    last = max((at for at, word in enumerate(words) if word in names), default=len(words))
    return not _BETWEEN.issuperset(words[last + 1 :])


def _unnamed(text: str, texts: Texts) -> bool:
    """Return whether an answer has numbers without a name, or more than could be read."""
    read = 2 * len(texts.cells) + len(texts.lonely) + len(texts.not_finite)
    return "" in texts.names or len(_NUMBER.findall(text[:LONGEST_TEXT])) > read


def _findings(texts: Texts) -> Iterator[Finding]:
    yield from map(cell_finding, texts.cells)
    if (note := truncated(texts.cells)) is not None:
        yield note
    for line in texts.not_finite[:4]:
        yield Finding("not-finite", "suspicious", f"A number in line {line} is not finite.")
    alone = [number for number in texts.lonely if texts.cells or not number.perplexity]
    for number in alone[:4]:
        one, other = ("perplexity", "loss") if number.perplexity else ("loss", "perplexity")
        name = " ".join(number.key[1:]) or f"line {number.line}"
        yield Finding("no-partner", "note", f"{name}: the {one} has no {other} to compare it with.")


def cell_finding(cell: Cell) -> Finding:
    gap = cell.log - float(cell.loss.value)
    if cell.perplexity.value < 1 or cell.loss.value < 0:
        return _disagree(cell, "a perplexity is at least 1 and a loss at least 0")
    # Fewer than two decimals increase the tolerance; more decimals do not reduce it.
    coarse = max(1.0, float(cell.loss.unit) * 100)
    blur = float(cell.perplexity.unit / cell.perplexity.value)
    blur = blur if blur > 1e-3 else 0.0
    if cell.corpus and not cell.micro:
        if gap < -BELOW * coarse - blur:
            return _disagree(cell, "over a corpus, ln(perplexity) is never below the mean loss")
    elif abs(gap) > EQUAL * coarse + blur:
        return _disagree(cell, "for a single text, the perplexity is exp(loss)")
    sentence = f"{cell.name}: ln({cell.perplexity.text}) = {cell.log:.4f} agrees with the loss."
    return Finding("perplexity", "fine", sentence, _numbers(cell))


def _disagree(cell: Cell, rule: str) -> Finding:
    bits = abs(cell.log / math.log(2) - float(cell.loss.value)) <= EQUAL
    remedy = " The loss seems to be in bits; use natural logarithms." if bits else ""
    shown = f"ln({cell.perplexity.text}) = {cell.log:.4f}, but the loss is {cell.loss.text}"
    sentence = f"{cell.name}: {shown}; {rule}.{remedy}"
    return Finding("perplexity", "impossible", sentence, _numbers(cell))


def _numbers(cell: Cell) -> tuple[tuple[str, str], ...]:
    return ((cell.name, f"ln {cell.perplexity.text} = {cell.log:.4f}, loss {cell.loss.text}"),)


def truncated(cells: Sequence[Cell]) -> Finding | None:
    """Return the note on losses that were cut off instead of rounded, or None."""
    single = [cell for cell in cells if not cell.corpus]
    cut = [cell for cell in single if _is_cut_off(cell)]
    if not cut:
        return None
    first = cut[0]
    sentence = (
        f"{len(cut)} of {len(single)} losses are truncated instead of rounded ({first.name}: "
        f"{first.log:.4f} became {first.loss.text}); round all of them."
    )
    return Finding("rounding-style", "note", sentence)


def _is_cut_off(cell: Cell) -> bool:
    """Return whether the loss is the perplexity's logarithm cut off, and not rounded."""
    unit = float(cell.loss.unit)
    if unit <= 0 or not math.isfinite(cell.log):
        return False
    rest = cell.log / unit - float(cell.loss.value) / unit
    return 0.5 < rest < 1


def _agree(texts: Texts) -> Award:
    """Award the pairs that agree; a number that is not finite agrees with none."""
    wrong = [f for f in map(cell_finding, texts.cells) if f.severity != "fine"]
    total = len(texts.cells) + len(texts.not_finite)
    alone = [
        number.figure for number in texts.lonely if number.perplexity and number.figure is not None
    ]
    if not texts.cells and not texts.not_finite and alone:  # the handout requires no losses
        possible = sum(figure.value >= 1 for figure in alone)
        return Award(possible / len(alone), "A perplexity is at least 1.")
    if not texts.cells:
        return Award(0.0, "No perplexity is reported.")
    words = wrong[0].sentence if wrong else "Not all numbers are finite."
    return Award((len(texts.cells) - len(wrong)) / total, words)


def _same(word: str, need: str) -> bool:
    """Return whether a word of a name is the required one: `validation` and `val` are `dev`."""
    meant = {word, need.casefold()}
    return len(meant) == 1 or any(meant <= group for group in _SAME)


def _variants(texts: Texts, settings: TextSettings) -> Award:
    """Award the required number of models, counted by how often a text is measured."""
    counts = Counter(name.split()[-1] if name else "" for name in texts.names)
    most = max(counts.values(), default=0)
    words = f"{most} of {settings.variants} models are in the table; include the baseline too."
    return Award(min(1.0, most / settings.variants), words)
