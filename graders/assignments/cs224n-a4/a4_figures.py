"""Pictures of accuracies and rotations; what they show never decides anything."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from a4_files import MODELS, PredictionFiles
from a4_places import Scored, matches
from a4_rotations import Floats, Table
from a4_statistics import LONDON, majority

from graders.figures import Accuracy, Rotation

NO_PRETRAIN, PRETRAIN, ROPE = MODELS
POSITIONS = 16
# (B, n_heads, T, head size): a vector whose features differ, at every position.
VECTOR = 1 + np.arange(32) * 7 % 11 / 11
ASKED = np.tile(VECTOR, (1, 1, POSITIONS, 1)).astype(np.float32)
SEEN, CLEAR = 0.05, 0.5  # radians of difference that a picture shows: just, and clearly


def accuracy_of(files: PredictionFiles, scored: Scored, threshold: str = "") -> Accuracy:
    """A prediction file's accuracy beside what one place for all gives, and no pretraining.

    `threshold` is the setting that holds it, in percent.
    """
    places = (LONDON, majority(files.data.train))
    shares = {f"{place} for everybody": _count(scored, place) for place in places}
    model, part, _ = scored.name.rsplit(".", 2)
    if model == NO_PRETRAIN:
        limit = Fraction(str(files.settings["nopretrain_below_percent"])) / 100
        shares["to stay below"] = float(limit)
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


def table_rotation(came: Mapping[tuple[int, int], Floats]) -> Rotation | None:
    """The angles of a table's first pair that clearly differs, over its first positions.

    Not of pairs that turn by more than half a circle there: they would be hard to read.
    """
    dim, length = max(came, key=lambda size: size[1])
    if not np.isfinite(came[dim, length]).all():
        return None
    slow = Table().angles(dim, length)[:POSITIONS].max(axis=0) < np.pi
    right, table = Table().values(dim, length)[:POSITIONS], came[dim, length][:POSITIONS]
    expected, actual = _angles(right), _angles(table)
    apart = np.where(slow, np.abs(expected - actual).max(axis=0), 0.0)
    if apart.max() < SEEN:
        return None
    pair = int(np.flatnonzero(apart >= min(CLEAR, apart.max()))[0])
    return Rotation(
        f"Rotation of pair {pair + 1} of {dim // 2} over positions (full turns left out)",
        tuple(expected[:, pair].tolist()),
        tuple(actual[:, pair].tolist()),
    )


def applied_rotation(result: Floats) -> Rotation | None:
    """The same of what became of ASKED; None where it has another shape.

    A pair as a complex number, divided by what was asked, is cos tθ + i sin tθ.
    """
    if result.shape != ASKED.shape or not np.isfinite(result).all():
        return None
    T, dim = ASKED.shape[2:]
    asked, came = (each[0, 0, :, ::2] + 1j * each[0, 0, :, 1::2] for each in (ASKED, result))
    turned = came / asked
    return table_rotation({(dim, T): np.stack((turned.real, turned.imag), axis=-1)})


def _angles(table: Floats) -> Floats:
    """The angle that each entry (cos, sin) turns by: (positions, pairs)."""
    angles: Floats = np.unwrap(np.arctan2(table[..., 1], table[..., 0]), axis=0)
    return angles
