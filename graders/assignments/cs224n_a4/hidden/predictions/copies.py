"""Find prediction files that are copies of each other, or that start with the same lines.

Checks deduct points for some pairs; all other pairs are noted here without losing points.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from .submitted import MODELS, PARTS, PredictionFiles, file_name
from .thresholds import NEARLY_ALL

File = tuple[str, str]
NO_PRETRAIN, PRETRAIN, ROPE = MODELS
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
            if not _is_judged_by_length(one, other, len(here) == len(there)):
                yield from _note(file_name(*one), here, file_name(*other), there)


def _is_judged_by_length(one: File, other: File, equal: bool) -> bool:
    """Return whether a check compares dev and test of a model by length.

    No check does this for RoPE's dev file.
    """
    return equal and one[0] == other[0] != ROPE


def _note(name: str, lines: tuple[str, ...], twin: str, others: tuple[str, ...]) -> Iterator[str]:
    shared = min(len(lines), len(others))
    if lines[:shared] != others[:shared] or _says_little(lines[:shared]):
        return
    if len(lines) == len(others):
        yield f"`{name}` and `{twin}` are identical: one is a copy of the other."
    else:
        yield (
            f"`{name}` and `{twin}` begin with the same {shared} lines. Answers to two sets of "
            "questions never do, so one is a copy of the other."
        )


def _says_little(lines: tuple[str, ...]) -> bool:
    """Return whether two models may agree on this: blank lines, or nearly always one place."""
    if not lines:
        return True
    ((_, count),) = Counter(lines).most_common(1)
    return count >= NEARLY_ALL * len(lines)
