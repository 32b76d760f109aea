"""What weights say to the course's questions, beside what a prediction file says they say."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from a4_checkpoint_file import Array, Weights
from a4_checkpoint_model import Plan

from graders.data import DEV, TEST_INPUTS, WIKI, Data
from reference.vocabulary import Vocabulary

QUESTIONS = {"dev": DEV, "test": TEST_INPUTS}
MOST_SHOWN = 60  # characters of an answer
ROWS_SHOWN = 5
TABLE_ERROR = 0.01  # of a right rotary table, saved in half precision


@dataclass(frozen=True, slots=True)
class Answers:
    """What a model answers to some rows of a question file, by their numbers from 0."""

    rows: tuple[int, ...]
    questions: tuple[str, ...]
    said: tuple[str, ...]

    def agreeing(self, predictions: Sequence[str]) -> int:
        """How many of these rows a prediction file has alike; spaces at ends do not count."""
        return sum(
            predictions[row].strip() == said.strip()
            for row, said in zip(self.rows, self.said, strict=True)
        )

    @property
    def is_constant(self) -> bool:
        """Whether all rows are answered alike, as any collapsed model may do."""
        return len(set(self.said)) == 1

    def differing(self, predictions: Sequence[str]) -> dict[str, str]:
        """The first rows that differ, as a table for the student."""
        table = {}
        for row, question, said in zip(self.rows, self.questions, self.said, strict=True):
            if predictions[row].strip() != said.strip() and len(table) < ROWS_SHOWN:
                file, weights = _shown(predictions[row]), _shown(said)
                table[f"{row + 1}: {question}"] = f"the file says {file}, the weights {weights}"
        return table


class Decoder:
    """A submitted model that is run here, by the reference."""

    def __init__(self, weights: Weights, plan: Plan, data: Data) -> None:
        self._data = data
        self._vocabulary = _vocabulary(data.folder / WIKI)
        self.model, self.notes = _model(weights, plan)

    def answers(self, part: str, most: int | None) -> Answers:
        """The model's answers to all rows of this part, or to `most` drawn ones."""
        from reference.prediction import predict_places, read_prompts

        prompts = read_prompts(self._data.folder / QUESTIONS[part])
        rows = _sample(len(prompts), most)
        with _one_thread():
            said = predict_places(self.model, self._vocabulary, [prompts[row] for row in rows])
        questions = tuple(prompts[row][:-1].strip() for row in rows)
        return Answers(tuple(rows), questions, tuple(said))


def vocabulary_size(data: Data) -> int:
    """How many characters a model over this corpus knows."""
    return len(_vocabulary(data.folder / WIKI))


@cache  # of one submission: a check's modules, and this with them, are dropped behind it
def _vocabulary(corpus: Path) -> Vocabulary:
    return Vocabulary(corpus.read_text(encoding="utf-8"))


def _sample(count: int, most: int | None) -> list[int]:
    """The same rows for everybody, in the file's order."""
    if most is None or count <= most:
        return list(range(count))
    return sorted(random.Random(count).sample(range(count), most))  # noqa: S311  no secret


def _model(weights: Weights, plan: Plan) -> tuple[Any, tuple[str, ...]]:
    """The reference's model with these weights, and remarks on its rotary tables."""
    import torch

    from reference.gpt import GPT

    model = GPT(plan.config())
    own = {name: each.numpy() for name, each in model.state_dict().items()}
    tables, notes = _rotary_tables(weights, own)
    state = {**own, **plan.parameters(weights), **tables}
    model.load({name: torch.from_numpy(np.ascontiguousarray(state[name])) for name in own})
    return model.eval(), notes


def _rotary_tables(
    weights: Weights, own: Mapping[str, Array]
) -> tuple[dict[str, Array], tuple[str, ...]]:
    """The checkpoint's tables: a model must be run with the rotation it was trained with."""
    names = [name for name in own if name.endswith(".rope_cache")]
    tables = {name: _table(weights.tensors.get(name), own[name].shape) for name in names}
    found = {name: each for name, each in tables.items() if each is not None}
    if len(found) < len(names):
        return found, ("no usable `rope_cache` is in the checkpoint: the handout's table was used",)
    if any(np.abs(each - own[name]).max() > TABLE_ERROR for name, each in found.items()):
        return found, ("`rope_cache` in the checkpoint is not the handout's table: used as it is",)
    return found, ()


def _table(array: Array | None, shape: tuple[int, ...]) -> Array | None:
    """The first rows of a table of (cos, sin), also where it is one of complex numbers."""
    if array is None:
        return None
    pairs = np.stack([array.real, array.imag], axis=-1) if array.dtype.kind == "c" else array
    pairs = pairs[: shape[0]].astype(np.float32) if pairs.ndim == len(shape) else pairs
    return pairs if pairs.shape == shape and np.isfinite(pairs).all() else None


@contextmanager
def _one_thread() -> Iterator[None]:
    """Torch on one thread: a batch grades a submission on each processor."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _shown(text: str) -> str:
    return repr(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…")
