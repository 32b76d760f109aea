"""Measure how often the test of the mean content errs, for correct and incorrect distributions.

    python benchmarks/quality/corruption_statistics.py [--trials 2000]
    python benchmarks/quality/corruption_statistics.py --smallest

Draws cuts and contents as a student's code would, and applies the functions used in grading, batch
after batch. `bound` is the probability, in the normal approximation, of a false alarm or of passing
an incorrect mean; `share` is the slope that is tested. `--smallest` prints the smallest number of
draws for which each statistical check keeps its error, next to the number that grading uses.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.assignments.cs224n_a4.span_corruption import lengths as lengths_module
from graders.assignments.cs224n_a4.span_corruption import measured as content_module
from graders.assignments.cs224n_a4.span_corruption import texts as texts_module

Numbers = NDArray[Any]
Way = Callable[[np.random.Generator, Numbers], Numbers]
SHORTEST, LONGEST = 4, 112
MANY = 1_000_000
FIRST, MORE = 3 * texts_module.LONG_ROUNDS, 3 * texts_module.MORE_ROUNDS
SIZES = [FIRST + MORE * batch for batch in range(content_module.MEAN_BATCHES + 1)]
PAIRS = 1850  # about so many of the first 2,400 draws have the document and the cut of another one
SMALL, SHORT, LARGE = 200, 60, 60  # first draws: of a small block, a short document, a large block
FALSE_ALARM, MISSED = 1e-6, 1e-3  # of a check, for correct code and for the mistakes listed here


def whole(numbers: NDArray[np.floating[Any]]) -> Numbers:
    """Round down, as int() does."""
    return np.asarray(np.floor(numbers), dtype=np.int64)


def uniform(low: int, factor: float, more: int = 0) -> Way:
    """Return random.randint(low, int(factor * cut) + more)."""
    return lambda rng, cut: rng.integers(
        low, np.maximum(low, whole(factor * cut) + more), endpoint=True
    )


def share(draw: Callable[[np.random.Generator, int], NDArray[np.floating[Any]]]) -> Way:
    """Return int(cut * a random fraction)."""
    return lambda rng, cut: whole(cut * draw(rng, len(cut)))


USUAL: dict[str, Way] = {
    "1 … cut/2, rounded down": uniform(1, 0.5),
    "0 … cut/2, rounded down": uniform(0, 0.5),
    "1 … cut/2 - 1": uniform(1, 0.5, -1),
    "1 … cut/2 + 1": uniform(1, 0.5, 1),
    "int(random() · cut/2)": share(lambda rng, n: rng.random(n) / 2),
    "cut/8 … 3 cut/8": share(lambda rng, n: rng.uniform(1 / 8, 3 / 8, n)),
    "cut/4 ± 3": lambda rng, cut: np.maximum(1, cut // 4 + rng.integers(-3, 4, len(cut))),
    "cut/4 ± 1": lambda rng, cut: cut // 4 + rng.integers(-1, 2, len(cut)),
    "normal(1/4, 1/10), at least 1": lambda rng, cut: np.maximum(
        1, whole(rng.normal(0.25, 0.1, len(cut)) * cut)
    ),
    "normal(1/4, 1/4), at least 0": lambda rng, cut: np.maximum(
        0, whole(rng.normal(0.25, 0.25, len(cut)) * cut)
    ),
    "binomial(cut, 1/4)": lambda rng, cut: rng.binomial(cut, 0.25),
    "Poisson(cut/4)": lambda rng, cut: rng.poisson(cut / 4),
    "exponential, up to cut": lambda rng, cut: whole(np.minimum(cut, rng.exponential(cut / 4))),
    "exponential, up to cut/2": lambda rng, cut: whole(
        np.minimum(cut / 2, rng.exponential(cut / 4))
    ),
    "triangular(0, 1/4, 1/2)": share(lambda rng, n: rng.triangular(0, 0.25, 0.5, n)),
    "beta(2, 6)": share(lambda rng, n: rng.beta(2, 6, n)),
    "one of .15 .2 .25 .3 .35": share(lambda rng, n: rng.choice([0.15, 0.2, 0.25, 0.3, 0.35], n)),
}
STOPPED = (  # the start is drawn first, on the whole cut; its end limits the content
    "1 … cut/2, rounded down",
    "0 … cut/2, rounded down",
    "int(random() · cut/2)",
    "cut/4 ± 3",
    "normal(1/4, 1/10), at least 1",
)
WRONG: dict[str, Way] = {
    "a fifth: 0 … 2 cut/5, rounded down": uniform(0, 0.4),
    "a fifth: 1 … 2 cut/5, rounded down": uniform(1, 0.4),
    "a fifth: int(random() · 2 cut/5)": share(lambda rng, n: rng.random(n) * 0.4),
    "a fifth: cut/10 … 3 cut/10": share(lambda rng, n: rng.uniform(0.1, 0.3, n)),
    "a fifth: cut/5 ± 2": lambda rng, cut: np.maximum(1, cut // 5 + rng.integers(-2, 3, len(cut))),
    "a fifth: binomial(cut, 1/5)": lambda rng, cut: rng.binomial(cut, 0.2),
    "a fifth: normal(1/5, 1/12)": lambda rng, cut: np.maximum(
        1, whole(rng.normal(0.2, 1 / 12, len(cut)) * cut)
    ),
    "a third: 0 … 2 cut/3": uniform(0, 2 / 3),
    "a third: between two random places": lambda rng, cut: np.abs(
        rng.integers(0, cut + 1) - rng.integers(0, cut + 1)
    ),
    "a third: binomial(cut, 1/3)": lambda rng, cut: rng.binomial(cut, 1 / 3),
    "a half: 1 … cut": uniform(1, 1.0),
    "an eighth: 0 … cut/4": uniform(0, 0.25),
}
WRONG_STOPPED = ("a fifth: 1 … 2 cut/5, rounded down",)


def draw(way: Way, stopped: bool, draws: int, rng: np.random.Generator) -> Any:
    """Return the lengths in `draws` draws."""
    cut = rng.integers(SHORTEST, LONGEST, draws, endpoint=True)
    content = np.minimum(way(rng, cut), cut)
    if stopped:
        prefix = rng.integers(0, cut)
        content = np.minimum(content, cut - prefix)
    else:
        prefix = rng.integers(0, cut - content, endpoint=True)
    return lengths_module.Lengths(np.zeros_like(cut), cut, prefix, content)


def decide(way: Way, stopped: bool, rng: np.random.Generator) -> tuple[bool, int]:
    """Return whether the mean is accepted, and in how many draws, as in `mean_is_a_quarter`."""
    lengths = draw(way, stopped, FIRST, rng)
    for _ in range(content_module.MEAN_BATCHES):
        decision = lengths_module.content_is_a_quarter(lengths, final=False)
        if decision != "unclear":
            return decision == "right", len(lengths.cut)
        lengths = lengths.joined(draw(way, stopped, MORE, rng))
    decision = lengths_module.content_is_a_quarter(lengths, final=True)
    return decision == "right", len(lengths.cut)


def shares(way: Way, stopped: bool, rng: np.random.Generator) -> list[tuple[Any, float]]:
    """Return the tested slopes, each with its error in a million draws and its lower limit."""
    m, lengths = lengths_module, draw(way, stopped, MANY, rng)
    if not stopped:
        return [(m.content_share(lengths), m.LOW)]
    roomy = lengths.where(lengths.prefix * 2 <= lengths.cut)
    return [(m.content_share(lengths), m.STOPPED_LOW), (m.content_share(roomy), m.ROOMY_LOW)]


def false_alarm(
    way: Way, stopped: bool, rng: np.random.Generator, sizes: Sequence[int] = SIZES
) -> float:
    """Return the bound on a false alarm: a limit is crossed at any stage, or at the end."""
    return sum(
        crossed(distance / slope.error, lengths_module.SURE, sizes)
        for slope, low in shares(way, stopped, rng)
        for distance in (slope.value - low, lengths_module.HIGH - slope.value)
    )


def let_pass(
    way: Way, stopped: bool, rng: np.random.Generator, sizes: Sequence[int] = SIZES
) -> float:
    """Return the bound on accepting an incorrect mean: all of its slopes are inside the limits."""
    return min(
        crossed(
            max(low - slope.value, slope.value - lengths_module.HIGH) / slope.error,
            lengths_module.CONFIDENT,
            sizes,
        )
        for slope, low in shares(way, stopped, rng)
    )


def crossed(distance: float, surely: float, sizes: Sequence[int]) -> float:
    """Return the probability that a mean `distance` errors away (for a million draws) crosses.

    `sizes` are the numbers of draws after each stage.
    """
    at = [distance * math.sqrt(size / MANY) for size in sizes]
    return sum(tail(z + surely) for z in at) + tail(at[-1])


def tail(z: float) -> float:
    """Return the probability of a normal variable z or more standard deviations above its mean."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def report(name: str, way: Way, *, stopped: bool, wrong: bool, trials: int) -> None:
    """Print one line of the table."""
    rng = np.random.default_rng(len(name) + stopped)
    decisions = [decide(way, stopped, rng) for _ in range(trials)]
    errors = sum(right == wrong for right, _ in decisions)
    draws = float(np.mean([draws for _, draws in decisions]))
    slope = lengths_module.content_share(draw(way, stopped, MANY, rng)).value
    bound = (let_pass if wrong else false_alarm)(way, stopped, rng)
    label = f"{name}, stopped by the end" if stopped else name
    print(f"{label:58} {slope:.4f} {errors:6}/{trials} {bound:10.1e} {draws:9.0f}")


def mean_is_decided(sizes: Sequence[int]) -> bool:
    """Return whether all ways of drawing keep their errors with these numbers of draws."""
    rng = np.random.default_rng(0)
    alarms = [false_alarm(way, False, rng, sizes) for way in USUAL.values()]
    alarms += [false_alarm(USUAL[name], True, rng, sizes) for name in STOPPED]
    passes = [let_pass(way, False, rng, sizes) for way in WRONG.values()]
    return max(alarms) <= FALSE_ALARM and max(passes) <= MISSED


def least_pairs(differing: float, *, correct: bool) -> int:
    """Return the pairs with which so large a fraction of differing ones is judged correctly."""
    limit = FALSE_ALARM if correct else MISSED
    for n in range(8, 2000):
        at_most = binomial_tail(math.floor(lengths_module.VARIED * n), n, differing)
        if (at_most if correct else 1 - at_most) <= limit:
            return n
    raise ValueError(differing)


def binomial_tail(k: int, n: int, p: float) -> float:
    """Return the probability of at most k successes of n."""
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


def print_smallest() -> None:
    """Print the smallest number of draws with which each check keeps its error."""
    most = next(n for k, n in enumerate(SIZES) if mean_is_decided(SIZES[: k + 1]))
    span = LONGEST - SHORTEST + 1
    large = span / (int(7 / 8 * texts_module.LARGE_BLOCKS[0]) - SHORTEST + 1)
    rows = (
        ("mean, at most", most, SIZES[-1]),
        ("pairs, one of two lengths", least_pairs(0.5, correct=True), content_module.LEAST),
        ("pairs, fixed in 90% of the draws", least_pairs(0.19, correct=False), PAIRS),
        ("small block, a length of 0.5%", draws_until(0.995), SMALL + content_module.SMALL_ROUNDS),
        ("block size 128, all lengths", draws_until(1 - 1 / span, span), FIRST),
        ("block size 200, above the limit", draws_until(large), LARGE),
        ("short document used whole", draws_until(10 / 11), SHORT + content_module.SHORT_ROUNDS),
    )
    print(f"{'check':40} {'smallest':>9} {'used':>9}")
    for name, smallest, used in rows:
        print(f"{name:40} {smallest:9,} {used:9,}")


def draws_until(missing: float, kinds: int = 1) -> int:
    """Return the draws after which none of the kinds is missing, each of which a draw may miss."""
    return math.ceil(math.log(FALSE_ALARM / kinds) / math.log(missing))


def main() -> None:
    """Print a line for each way of drawing, or the smallest numbers of draws."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--smallest", action="store_true")
    options = parser.parse_args()
    if options.smallest:
        print_smallest()
        return
    trials = options.trials
    for wrong, ways, again in ((False, USUAL, STOPPED), (True, WRONG, WRONG_STOPPED)):
        title = "wrong means" if wrong else "usual ways"
        print(f"{title:58} {'share':6} {'errors':>7} {'bound':>10} {'draws':>9}")
        for name, way in ways.items():
            report(name, way, stopped=False, wrong=wrong, trials=trials)
        for name in again:
            report(name, ways[name], stopped=True, wrong=wrong, trials=trials)


if __name__ == "__main__":
    main()
