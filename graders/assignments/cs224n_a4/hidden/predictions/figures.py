"""The figure of an accuracy; it does not affect any decision."""

from fractions import Fraction

from graders.figures import Accuracy

from .places import Scored, matches
from .submitted import MODELS, PredictionFiles
from .thresholds import LONDON, majority

NO_PRETRAIN, _, _ = MODELS


def accuracy_of(files: PredictionFiles, scored: Scored, threshold: str = "") -> Accuracy:
    """Show a prediction file's accuracy with the majority and no-pretraining baselines.

    `threshold` is the name of the setting that contains it, in percent.
    """
    places = (LONDON, majority(files.data.train))
    shares = {f"{place} baseline": _count(scored, place) for place in places}
    model, part, _ = scored.name.rsplit(".", 2)
    if model == NO_PRETRAIN:
        limit = Fraction(str(files.settings["nopretrain_below_percent"])) / 100
        shares["upper limit"] = float(limit)
    elif lines := files.lines(NO_PRETRAIN, part):
        shares["without pretraining"] = matches(lines, scored.gold) / scored.n
    asked = Fraction(str(files.settings[threshold])) / 100 if threshold else None
    return Accuracy(
        scored.name,
        scored.correct,
        scored.n,
        threshold=None if asked is None else float(asked),
        baselines=tuple(shares.items()),
    )


def _count(scored: Scored, place: str) -> float:
    return scored.gold.count(place) / scored.n
