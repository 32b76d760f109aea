"""What an accuracy says and what it does not: sentences about chance, collapse and thresholds.

Only `borderline` can change points, and only where the assignment says so.
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, cast

from a4_chance import chance_at_least, chance_so_different, p_in_words
from a4_places import Scored

from graders.errors import Misuse
from graders.intervals import is_borderline, share_in_words
from graders.model import Setting

LONDON = "London"
NEARLY_ALL = Fraction(9, 10)  # of the lines: a trained model's commonest answer stays far below
MOSTLY = Fraction(1, 2)
SHOWN = 40  # characters of a prediction

Borderline = Literal["plain", "full", "review"]

RULES: dict[Borderline, str] = {
    "plain": "The accuracy itself decides, as in the handout.",
    "full": "A borderline accuracy earns full points.",
    "review": "A person decides about a borderline accuracy.",
}


def borderline_rule(settings: Mapping[str, Setting]) -> Borderline:
    """How the assignment scores an accuracy whose interval holds the threshold; or Misuse."""
    rule = settings["borderline"]
    if rule not in RULES:
        known = ", ".join(f"`{each}`" for each in RULES)
        raise Misuse(f"assignment.toml: `settings.borderline` is {rule!r}; it may be {known}")
    return cast(Borderline, rule)


def borderline_note(scored: Scored, threshold: Fraction, rule: Borderline) -> str:
    """Says so where the interval holds the threshold, and what follows; else nothing."""
    if not is_borderline(scored.correct, scored.n, threshold):
        return ""
    return (
        f"Borderline: the threshold of {float(100 * threshold):g}% is within the 95% interval, so "
        f"{scored.n} questions cannot tell which side of it the model is on. {RULES[rule]}"
    )


def majority(train: tuple[str, ...]) -> str:
    """The training set's most common place."""
    return Counter(train).most_common(1)[0][0]


def chance_note(scored: Scored, place: str, alpha: float) -> str:
    """Whether so many are right by more than always answering `place`, the majority class."""
    baseline = scored.gold.count(place)
    p = chance_at_least(scored.correct, scored.n, Fraction(baseline, scored.n))
    above = "Above chance" if p < alpha else "Not shown to be above chance"
    return (
        f"{above}: always answering {place}, the most common place in training, gives "
        f"{share_in_words(baseline, scored.n)}; {p_in_words(p)} (exact binomial test, level "
        f"{alpha:g})."
    )


def collapse_note(scored: Scored, place: str) -> str:
    """Says so where one answer stands for nearly all, or for most and is no worse; else nothing."""
    answer, count = Counter(scored.predictions).most_common(1)[0]
    alone = scored.gold.count(answer)
    nearly_all = Fraction(count, scored.n) >= NEARLY_ALL
    as_good = answer in (place, LONDON) and scored.correct <= alone
    if not nearly_all and not (as_good and Fraction(count, scored.n) > MOSTLY):
        return ""
    lines = "every line says" if count == scored.n else f"{count} of {scored.n} lines say"
    gives = f" That answer alone gives {share_in_words(alone, scored.n)}." if alone else ""
    return f"Collapsed: {lines} {answer[:SHOWN]!r}. A finetuned model answers by name.{gives}"


def gap_note(dev: Scored, test: Scored, alpha: float) -> str:
    """Says so where dev and test differ by more than one model does by chance; else nothing."""
    p = chance_so_different(test.correct, test.n, dev.correct, dev.n)
    if p >= alpha:
        return ""
    return (
        f"Dev and test differ beyond chance: {dev.in_words} on dev, {test.in_words} on test, "
        f"{p_in_words(p)} (Fisher's exact test, two-sided, level {alpha:g}). One model must write "
        "both files, and it must be trained only on the training file."
    )
