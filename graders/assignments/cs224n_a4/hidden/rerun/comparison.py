"""Compare the rerun with the submission: tensors, answers and accuracies, in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..checkpoints.weights import Weights
from ..predictions.chance import chance_so_different, p_in_words
from ..predictions.files import Aligned, read_predictions
from ..predictions.places import Scored
from .runs import Ran, Shapes

PREFIXES = ("module.", "_orig_mod.")  # prefixes from DataParallel and torch.compile
SHOWN = 3  # tensors named in a sentence
DETERMINISTIC = "vanilla.nopretrain"  # training from scratch depends only on the seed


@dataclass(frozen=True, slots=True)
class Compared:
    """One sentence about a file, and whether a person should look at it."""

    sentence: str
    suspicious: bool = False


def compare_shapes(name: str, anew: Shapes, submitted: Weights) -> Compared:
    """Compare the tensors of two checkpoints by name and shape."""
    new = plain_names(anew)
    old = {key: value.shape for key, value in submitted.tensors.items()}
    if new == old:
        return Compared(f"`{name}`: the rerun writes the same {len(new)} names and shapes.")
    parts = [
        _listed("only the rerun has", sorted(new.keys() - old.keys())),
        _listed("only the submission has", sorted(old.keys() - new.keys())),
        _listed("with a different shape", _differing(new, old)),
    ]
    found = "; ".join(part for part in parts if part)
    return Compared(f"`{name}`: the rerun writes different tensors: {found}.", suspicious=True)


def plain_names(shapes: Shapes) -> Shapes:
    """Return the shapes without the prefixes of modules that wrap a model."""
    plain = dict(shapes)
    while found := [each for each in PREFIXES if plain and all(n.startswith(each) for n in plain)]:
        plain = {name.removeprefix(found[0]): shape for name, shape in plain.items()}
    return plain


def _differing(new: Shapes, old: Mapping[str, tuple[int, ...]]) -> list[str]:
    return [
        f"{name} ({_shape(new[name])}, submitted {_shape(old[name])})"
        for name in sorted(new.keys() & old.keys())
        if new[name] != old[name]
    ]


def _shape(shape: Sequence[int]) -> str:
    return "×".join(map(str, shape)) or "one number"


def _listed(words: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{words} {', '.join(names[:SHOWN])}{more}"


def read_anew(ran: Ran, gold: tuple[str, ...]) -> Scored | None:
    """Score the predictions that a command wrote; None if that is not possible."""
    found = read_predictions(ran.content, len(gold))
    if ran.problem or not isinstance(found, Aligned):
        return None
    return Scored(ran.command.writes, found.predictions, gold, ())


def compare_answers(anew: Scored, submitted: Scored, alpha: float) -> Compared:
    """Compare two models on the same questions; suspicious if the submitted one is much better.

    Fisher's exact test assumes different questions for the two. They are the same, so it finds
    differences slightly too rarely, never too often.
    """
    p = chance_so_different(anew.correct, anew.n, submitted.correct, submitted.n)
    suspicious = p < alpha and submitted.correct > anew.correct
    said = (
        f"`{submitted.name}`: rerun {anew.in_words}, submission "
        f"{submitted.in_words}. Chance {'does not explain' if p < alpha else 'explains'} the "
        f"difference ({p_in_words(p)}, Fisher's exact test, two-sided, level {alpha:g})."
    )
    return Compared(" ".join((said, *_same_answers(anew, submitted))), suspicious)


def _same_answers(anew: Scored, submitted: Scored) -> Iterator[str]:
    pairs = zip(anew.predictions, submitted.predictions, strict=True)
    same = sum(one == other for one, other in pairs)
    if same == anew.n:
        yield "All lines are identical."
    else:
        yield f"{same} of {anew.n} answers are identical."
    if DETERMINISTIC in submitted.name and same < anew.n:
        yield "Without pretraining, the same device and versions would reproduce them exactly."
