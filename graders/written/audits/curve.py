"""Check curves given as numbers, one row per epoch, against the stated epochs and best epoch."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from graders.written.audits.finding import Finding
from graders.written.audits.reading.figure import Figure
from graders.written.audits.reading.runs import Run


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of a training run in order, with the number of each epoch."""

    points: tuple[Run, ...]
    epochs: tuple[int, ...]

    def of(self, name: str) -> list[Figure]:
        """Return one column of the curve, without the epochs that lack it."""
        return [run.values[name] for run in self.points if name in run.values]


def curve_of(runs: Sequence[Run]) -> Curve:
    """Return the curve in these rows; if rows have no epoch, they are counted from one."""
    numbers = [run.values.get("epochs") for run in runs]
    if all(number is not None and number.value.denominator == 1 for number in numbers):
        return Curve(tuple(runs), tuple(int(n.value) for n in numbers if n is not None))
    return Curve(tuple(runs), tuple(range(1, len(runs) + 1)))


def length_finding(curve: Curve, allowed: Sequence[int]) -> Finding:
    """Check whether the curve has as many epochs as required, each once and in order."""
    size = len(curve.epochs)
    wanted = " or ".join(map(str, allowed))
    numbers = (("epochs", f"{size}/{wanted}"),)
    if any(b - a != 1 for a, b in zip(curve.epochs, curve.epochs[1:], strict=False)):
        sentence = "The epochs are not consecutive; give one row per epoch, in order."
        return Finding("curve-order", "suspicious", sentence, sentence, numbers)
    if size not in allowed:
        start = (
            " The row for epoch 0, before training, counts as an epoch."
            if curve.epochs[:1] == (0,)
            else ""
        )
        sentence = f"The curve has {size} epochs; expected {wanted}.{start}"
        return Finding("curve-length", "suspicious", sentence, sentence, numbers)
    sentence = f"The curve has {size} epochs."
    return Finding("curve-length", "fine", sentence, sentence, numbers)


def best_epochs(curve: Curve, name: str) -> tuple[int, ...]:
    """Return the positions, from 0, of the column's best value (the lowest for a loss)."""
    places = [at for at, run in enumerate(curve.points) if name in run.values]
    values = [curve.points[at].values[name].value for at in places]
    if not values:
        return ()
    top: Fraction = min(values) if name.endswith("loss") else max(values)
    return tuple(at for at, value in zip(places, values, strict=True) if value == top)


def epoch_finding(curve: Curve, name: str, stated: int, from_zero: bool = False) -> Finding:
    """Check whether the stated epoch is the column's best, in either way of counting.

    The number in the curve's own column is correct, and so is the position counted from one. A
    position counted from zero is correct if the curve, or the statement (`from_zero`), counts so.
    """
    places = best_epochs(curve, name)
    if not places:
        sentence = f"The curve has no numbers for {name}."
        return Finding("best-epoch", "suspicious", sentence, sentence)
    right = {curve.epochs[at] for at in places} | {at + 1 for at in places}
    right |= set(places) if from_zero else set()
    shown = ", ".join(str(curve.epochs[at]) for at in places[:4])
    if stated in right:
        sentence = f"{name} is best at epoch {shown}, as you stated."
        return Finding("best-epoch", "fine", sentence, sentence)
    sentence = (
        f"You stated that {name} is best at epoch {stated}. "
        f"According to your own curve, it is epoch {shown}."
    )
    return Finding("best-epoch", "suspicious", sentence, sentence, ((name, shown),))


def overfits(curve: Curve) -> bool:
    """Return whether the last train accuracy is above every dev accuracy."""
    train, dev = curve.of("train"), curve.of("dev")
    return bool(train and dev) and train[-1].share > max(each.share for each in dev)
