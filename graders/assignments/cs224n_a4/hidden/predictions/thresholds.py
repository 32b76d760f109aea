"""Explain an accuracy: sentences about chance, collapse and thresholds.

Only `borderline` can change points, and only if the assignment says so.
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from graders.errors import UsageError
from graders.model import Setting
from graders.statistics import is_borderline, share_in_words

from .chance import chance_at_least, chance_so_different, p_in_words
from .places import Scored

LONDON = "London"
NEARLY_ALL = Fraction(9, 10)  # of the lines; a trained model's most common answer is far below
MOSTLY = Fraction(1, 2)
SHOWN = 40  # characters of a prediction

Borderline = Literal["plain", "full", "review"]

RULES: dict[Borderline, str] = {
    "plain": "The accuracy decides, as in the handout.",
    "full": "A borderline accuracy earns full points.",
    "review": "The course staff decides about a borderline accuracy.",
}


def borderline_rule(settings: Mapping[str, Setting]) -> Borderline:
    """Return how the assignment scores an accuracy whose interval contains the threshold."""
    rule = settings["borderline"]
    if rule not in RULES:
        known = ", ".join(f"`{each}`" for each in RULES)
        raise UsageError(f"assignment.toml: `settings.borderline` is {rule!r}; it may be {known}")
    return rule


def borderline_note(scored: Scored, threshold: Fraction, rule: Borderline) -> str:
    """Return a note if the interval contains the threshold, with the rule that applies."""
    if not is_borderline(scored.correct, scored.n, threshold):
        return ""
    return (
        f"Borderline: the threshold of {float(100 * threshold):g}% is within the 95% interval, so "
        f"{scored.n} questions are too few to tell which side the model is on. {RULES[rule]}"
    )


def majority(train: tuple[str, ...]) -> str:
    """Return the training set's most common place."""
    return Counter(train).most_common(1)[0][0]


def chance_note(scored: Scored, place: str, alpha: float) -> str:
    """Compare the accuracy with the majority class: always answering `place`."""
    baseline = scored.gold.count(place)
    p = chance_at_least(scored.correct, scored.n, Fraction(baseline, scored.n))
    above = "Above chance" if p < alpha else "Not shown to be above chance"
    return (
        f"{above}: always answering {place}, the most common place in training, gives "
        f"{share_in_words(baseline, scored.n)}; {p_in_words(p)} (exact binomial test, level "
        f"{alpha:g})."
    )


def collapse_note(scored: Scored, place: str) -> str:
    """Return a note if one answer is nearly always given, or mostly and is as good on its own."""
    answer, count = Counter(scored.predictions).most_common(1)[0]
    alone = scored.gold.count(answer)
    nearly_all = Fraction(count, scored.n) >= NEARLY_ALL
    as_good = answer in (place, LONDON) and scored.correct <= alone
    if not nearly_all and not (as_good and Fraction(count, scored.n) > MOSTLY):
        return ""
    lines = "every line says" if count == scored.n else f"{count} of {scored.n} lines say"
    gives = (
        f" Always giving that answer reaches {share_in_words(alone, scored.n)}." if alone else ""
    )
    depends = "A finetuned model's answer depends on the name."
    return f"Collapsed: {lines} {answer[:SHOWN]!r}. {depends}{gives}"


def gap_note(dev: Scored, test: Scored, alpha: float) -> str:
    """Return a note if dev and test differ by more than chance explains."""
    p = chance_so_different(test.correct, test.n, dev.correct, dev.n)
    if p >= alpha:
        return ""
    return (
        f"Dev and test differ significantly: {dev.in_words} on dev, {test.in_words} on test, "
        f"{p_in_words(p)} (Fisher's exact test, two-sided, level {alpha:g}). The same model "
        "must write both files, and it must be trained only on the training file."
    )
