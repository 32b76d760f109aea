"""Verify tables of perplexities and losses by comparing each pair."""

import re
from collections import Counter
from collections.abc import Iterable

from graders.written.audits.finding import Finding
from graders.written.audits.perplexity import cell_finding, shortened
from graders.written.audits.reading.table import LONGEST_TEXT
from graders.written.audits.reading.texts import Texts, texts_of
from graders.written.judgement import Asked, Judgement, Unreadable
from graders.written.verifiers.reported.award import Award, judgement_of
from graders.written.verifiers.reported.settings import TextAward, TextSettings, read_settings
from graders.written.verifiers.values.mentions import mentions, refuse_unread

_MICRO = re.compile(r"(?<!not )(?<!no )\bmicro(?:\b|[- ]?averag)", re.IGNORECASE)  # `micro-average`


def perplexity_table(asked: Asked) -> Judgement:
    """Grade perplexities with their losses. Settings: `TextSettings`."""
    settings = read_settings(TextSettings, asked.machine)
    text = "\n\n".join(asked.parts[part] for part in asked.machine.parts if part in asked.parts)
    micro = settings.micro or _MICRO.search(text[:LONGEST_TEXT]) is not None
    texts = texts_of(text, corpora=settings.corpora, singles=settings.singles, micro=micro)
    if not texts.cells and not texts.lonely:
        raise Unreadable(
            "No perplexity with its loss could be read; write a table with the columns `text`, "
            "`perplexity` and `loss`, one text per line, or with the texts as columns."
        )
    told = [*(cell.name for cell in texts.cells), *_measured(texts)]
    missing = [need for need in settings.need if not _is_among(need, told)]
    if mentions(text, "perplexity") and not texts.not_finite:
        refuse_unread(text, missing)
    awards: dict[TextAward, Award] = {
        "agree": _agree(texts),
        "complete": _complete(texts, settings),
        "variants": _variants(texts, settings),
    }
    earned = [(points, awards[name]) for name, points in settings.points.items()]
    return judgement_of(earned, _findings(texts))


def _findings(texts: Texts) -> list[Finding]:
    findings = [cell_finding(cell) for cell in texts.cells]
    findings += [note] if (note := shortened(texts.cells)) is not None else []
    for line in texts.not_finite[:4]:
        sentence = f"A number in line {line} is not finite."
        findings.append(Finding("not-finite", "suspicious", sentence, sentence))
    alone = [each for each in texts.lonely if texts.cells or not each.perplexity]
    for each in alone[:4]:
        one, other = ("perplexity", "loss") if each.perplexity else ("loss", "perplexity")
        name = " ".join(each.key[1:]) or f"line {each.line}"
        sentence = f"{name}: the {one} has no {other} to compare it with."
        findings.append(Finding("no-partner", "note", sentence, sentence))
    return findings


def _agree(texts: Texts) -> Award:
    """Award the pairs that agree; a number that is not finite agrees with none."""
    wrong = [f for f in map(cell_finding, texts.cells) if f.severity != "fine"]
    total = len(texts.cells) + len(texts.not_finite)
    alone = [each.figure for each in texts.lonely if each.perplexity and each.figure is not None]
    if not texts.cells and not texts.not_finite and alone:  # the handout requires no losses
        possible = sum(each.value >= 1 for each in alone)
        return Award(possible / len(alone), "A perplexity is at least 1.")
    if not texts.cells:
        return Award(0.0, "No perplexity is reported.")
    words = wrong[0].student if wrong else "Not all numbers are finite."
    return Award((len(texts.cells) - len(wrong)) / total, words)


def _complete(texts: Texts, settings: TextSettings) -> Award:
    """Award the required texts that have a perplexity."""
    names = [*(cell.name for cell in texts.cells), *_measured(texts)]
    missing = [need for need in settings.need if not _is_among(need, names)]
    words = f"The perplexity is missing for: {', '.join(missing)}."
    return Award(1 - len(missing) / max(len(settings.need), 1), words)


def _measured(texts: Texts) -> list[str]:
    """Return the names of the texts whose perplexity has no loss."""
    return [" ".join(each.key) for each in texts.lonely if each.perplexity]


def _is_among(need: str, names: Iterable[str]) -> bool:
    return any(_same(word, need) for name in names for word in name.split())


def _same(word: str, need: str) -> bool:
    """Return whether a word of a name is the required one: `validation` and `val` are `dev`."""
    dev = {"dev", "val", "valid", "validation", "development"}
    train = {"train", "training"}
    either = any({word, need.casefold()} <= group for group in (dev, train))
    return either or word == need.casefold()


def _variants(texts: Texts, settings: TextSettings) -> Award:
    """Award the required number of models, counted by how often a text is measured."""
    names = [*(cell.name for cell in texts.cells), *_measured(texts)]
    counts = Counter(name.split()[-1] if name else "" for name in names)
    most = max(counts.values(), default=0)
    words = f"{most} of {settings.variants} models are in the table; include the baseline too."
    return Award(min(1.0, most / settings.variants), words)
