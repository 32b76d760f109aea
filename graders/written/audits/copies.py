"""Find numbers that are equal but should differ by chance, and the reverse."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from graders.written.audits.finding import Finding
from graders.written.audits.majority import Split
from graders.written.audits.reading.runs import Run
from graders.written.audits.selection import standard_error

MOST_RUNS = 200  # runs that are compared with each other
DIGITS = 4  # decimals from which equality is significant
TOO_FAR = 3  # standard errors


def identical_runs(runs: Sequence[Run]) -> Iterator[Finding]:
    """Yield a finding for each pair of runs with identical dev and test accuracies."""
    for one, other in combinations(runs[:MOST_RUNS], 2):
        pairs = [(one.values.get(name), other.values.get(name)) for name in ("dev", "test")]
        if all(a and b and a.value == b.value and a.digits >= DIGITS for a, b in pairs):
            shown = " / ".join(a.text for a, _ in pairs if a is not None)
            titles = f"{one.title} (line {one.line}) and {other.title} (line {other.line})"
            yield Finding(
                "identical-runs",
                "suspicious",
                f"{titles} have identical dev and test accuracies ({shown}); check that they are "
                "different runs.",
                f"{titles}: {shown} twice; copied, the same run, or the same constant predictor.",
                ((titles, shown),),
            )


def dev_equals_test(runs: Sequence[Run]) -> Finding | None:
    """Return a finding if dev and test accuracy are equal in every run: leaked, or a debug run."""
    both = [run for run in runs if "dev" in run.values and "test" in run.values]
    if not both or any(run.values["dev"].share != run.values["test"].share for run in both):
        return None
    count = f"{len(both)}/{len(both)} runs"
    return Finding(
        "dev-equals-test",
        "suspicious",
        "Dev and test accuracy are equal in every run: were they measured on the same items, "
        "such as the small subset?",
        f"dev equals test in {count}: the same data set for both, or a debug run.",
        (("dev = test", count),),
    )


def test_above_dev(runs: Sequence[Run], splits: Mapping[str, Split]) -> Iterator[Finding]:
    """Yield the runs whose test accuracy is over three standard errors above the dev accuracy."""
    if "dev" not in splits or "test" not in splits:
        return
    for run in runs[:MOST_RUNS]:
        dev, test = run.values.get("dev"), run.values.get("test")
        if dev is None or test is None:
            continue
        shares = {"dev": float(dev.share), "test": float(test.share)}
        errors = [standard_error(share, splits[name].items) for name, share in shares.items()]
        if shares["test"] - shares["dev"] > TOO_FAR * (errors[0] ** 2 + errors[1] ** 2) ** 0.5:
            sentence = (
                f"{run.title}: test {test.text} is higher than dev {dev.text} by more than chance "
                "can explain; is the test set part of the training data?"
            )
            yield Finding("test-above-dev", "suspicious", sentence, sentence)
