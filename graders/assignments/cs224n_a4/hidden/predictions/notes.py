"""Explain an accuracy: chance, collapse, thresholds, gaps and copies, and its figure.

Only `borderline` can change points, and only if the assignment says so. The tests of one proportion
and of two are exact: in integers, without tables or approximations.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb

from graders.checks.labels import chance_at_least
from graders.figures import Accuracy
from graders.statistics import is_borderline, share_in_words

from .places import Scored, matches
from .submitted import MODELS, NO_PRETRAIN, PARTS, PRETRAIN, ROPE, PredictionFiles, file_name

LONDON = "London"
NEARLY_ALL = Fraction(9, 10)  # of the lines; a trained model's most common answer is far below
MOSTLY = Fraction(1, 2)
SHOWN = 40  # characters of a prediction
SMALLEST = 1e-300  # below this, floats underflow

RULES = {
    "plain": "The accuracy decides, as in the handout.",
    "full": "A borderline accuracy earns full points.",
    "review": "The course staff decides about a borderline accuracy.",
}


def borderline_note(scored: Scored, threshold: Fraction, rule: str) -> str:
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


def chance_note(files: PredictionFiles, scored: Scored) -> str:
    """Compare the accuracy with the majority class: always answering one place."""
    place = majority(files.data.train)
    baseline = scored.gold.count(place)
    p = float(chance_at_least(scored.correct, scored.n, Fraction(baseline, scored.n)))
    above = "Above chance" if p < files.alpha else "Not shown to be above chance"
    return (
        f"{above}: always answering {place}, the most common place in training, gives "
        f"{share_in_words(baseline, scored.n)}; {p_in_words(p)} (exact binomial test, level "
        f"{files.alpha:g})."
    )


def collapse_note(files: PredictionFiles, scored: Scored) -> str:
    """Return a note if one answer is nearly always given, or mostly and is as good on its own."""
    answer, count = Counter(scored.predictions).most_common(1)[0]
    alone = scored.gold.count(answer)
    nearly_all = Fraction(count, scored.n) >= NEARLY_ALL
    as_good = answer in (majority(files.data.train), LONDON) and scored.correct <= alone
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


# ---------------------------------------------------------------- copies

FILES = tuple((model, part) for model in MODELS for part in PARTS)
JUDGED = (
    {(NO_PRETRAIN, "dev"), (PRETRAIN, "dev")},
    {(NO_PRETRAIN, "test"), (PRETRAIN, "test")},
    {(PRETRAIN, "test"), (ROPE, "test")},
)


def copy_notes(files: PredictionFiles, model: str) -> Iterator[str]:
    """Yield a sentence for every pair that no check tests; a pair belongs to its later model."""
    for one, other in combinations(FILES, 2):
        if other[0] == model and {one, other} not in JUDGED:
            here, there = files.lines(*one), files.lines(*other)
            # A check compares dev and test of a model by length, but not for RoPE's dev file.
            if not (len(here) == len(there) and one[0] == other[0] != ROPE):
                yield from _note(file_name(*one), here, file_name(*other), there)


def _note(name: str, lines: tuple[str, ...], twin: str, others: tuple[str, ...]) -> Iterator[str]:
    shared = min(len(lines), len(others))
    if not shared or lines[:shared] != others[:shared]:
        return
    ((_, count),) = Counter(lines[:shared]).most_common(1)
    if count >= NEARLY_ALL * shared:  # two models may agree on nearly always one place
        return
    if len(lines) == len(others):
        yield f"`{name}` and `{twin}` are identical: one is a copy of the other."
    else:
        yield (
            f"`{name}` and `{twin}` begin with the same {shared} lines. Answers to two sets of "
            "questions never do, so one is a copy of the other."
        )


# ---------------------------------------------------------------- the figure


def accuracy_of(files: PredictionFiles, scored: Scored, threshold: str = "") -> Accuracy:
    """Show a prediction file's accuracy with the majority and no-pretraining baselines.

    `threshold` is the name of the setting that contains it, in percent.
    """
    places = (LONDON, majority(files.data.train))
    shares = {f"{place} baseline": scored.gold.count(place) / scored.n for place in places}
    model, part, _ = scored.name.rsplit(".", 2)
    if model == NO_PRETRAIN:
        shares["upper limit"] = float(files.percent("nopretrain_below_percent"))
    elif lines := files.lines(NO_PRETRAIN, part):
        shares["without pretraining"] = matches(lines, scored.gold) / scored.n
    return Accuracy(
        scored.name,
        scored.correct,
        scored.n,
        threshold=float(files.percent(threshold)) if threshold else None,
        baselines=tuple(shares.items()),
    )


# ---------------------------------------------------------------- chance


def chance_so_far_below(k: int, n: int, other_k: int, other_n: int) -> float:
    """Return the probability of k or fewer of n, given `other_k` of `other_n` from the same model.

    Fisher's exact test: the number of correct answers is fixed; which questions they are is random.
    """
    right = k + other_k
    ways = sum(comb(n, i) * comb(other_n, right - i) for i in range(k + 1) if i <= right)
    return ways / comb(n + other_n, right)


def chance_so_different(k: int, n: int, other_k: int, other_n: int) -> float:
    """Return the probability of a table no more likely than k of n and `other_k` of `other_n`.

    Fisher's exact test, two-sided, under the hypothesis that one model answered all questions.
    """
    right = k + other_k
    possible = range(max(0, right - other_n), min(n, right) + 1)
    ways = [comb(n, i) * comb(other_n, right - i) for i in possible]
    seen = comb(n, k) * comb(other_n, other_k)
    return sum(count for count in ways if count <= seen) / comb(n + other_n, right)


def chance_below(k: int, n: int, share: Fraction) -> float:
    """Return the probability of k or fewer of n, for a model whose true accuracy is `share`."""
    return float(chance_at_least(n - k, n, 1 - share))


def p_in_words(p: float) -> str:
    """Return p in words: `p = 0.043`, `p = 3.1e-12`."""
    if p < SMALLEST:
        return f"p < {SMALLEST:g}"
    return f"p = {p:.2g}"
