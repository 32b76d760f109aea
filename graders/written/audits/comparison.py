"""Whether two models that answered the same items differ by more than chance (McNemar, exact)."""

import math

from scipy import special  # type: ignore[import-untyped]  # it ships no stubs

from graders.written.audits.finding import Finding

LEVEL = 0.05


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p value, from the items that only one of the models has right."""
    n, k = only_first + only_second, min(only_first, only_second)
    return min(1.0, 2 * float(special.bdtr(k, n, 0.5))) if n else 1.0


def comparison_finding(names: tuple[str, str], only_first: int, only_second: int) -> Finding:
    """What the items say on which the models disagree."""
    p = mcnemar(only_first, only_second)
    counts = f"{only_first} against {only_second}"
    differ = "differ" if p < LEVEL else "are not distinguishable"
    sentence = (
        f"{names[0]} and {names[1]} {differ}: of the items that only one has right, {counts} "
        f"(p = {p:.3g})."
    )
    return Finding(
        "comparison",
        "fine" if p < LEVEL else "note",
        sentence,
        sentence,
        (("only one right", counts),),
    )


def least_net_difference(items: int, discordance: float) -> int:
    """The smallest difference in right answers that is significant at this share of discord."""
    discordant = math.floor(items * discordance)
    for second in range(discordant // 2, -1, -1):
        if mcnemar(discordant - second, second) < LEVEL:
            return discordant - 2 * second
    return discordant + 1
