"""Run weights on the course's questions and compare with a prediction file."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from graders.data.birthplaces import WIKI, Data
from reference.data.vocabulary import Vocabulary

from ..predictions.submitted import QUESTIONS
from .expected import Plan
from .weights import Array, Weights

MOST_SHOWN = 60  # characters of an answer
ROWS_SHOWN = 5
ROTATION_ROWS = 100  # of a prediction file: enough to distinguish rotations
TURNED = ("query.weight", "query.bias", "key.weight", "key.bias")
TABLE_ERROR = 0.01  # of a correct rotary table, saved in half precision


@dataclass(frozen=True, slots=True)
class Answers:
    """A model's answers to some rows of a question file, by row number from 0."""

    rows: tuple[int, ...]
    questions: tuple[str, ...]
    answers: tuple[str, ...]

    def agreeing(self, predictions: Sequence[str]) -> int:
        """Count the rows that are equal in a prediction file, ignoring spaces at the ends."""
        return sum(
            predictions[row].strip() == answer.strip()
            for row, answer in zip(self.rows, self.answers, strict=True)
        )

    @property
    def is_constant(self) -> bool:
        """Return whether all answers are equal, as in any collapsed model."""
        return len(set(self.answers)) == 1

    def differing(self, predictions: Sequence[str]) -> dict[str, str]:
        """Return the first rows that differ, as a table for the student."""
        table: dict[str, str] = {}
        for row, question, answer in zip(self.rows, self.questions, self.answers, strict=True):
            if predictions[row].strip() != answer.strip() and len(table) < ROWS_SHOWN:
                file, weights = _shown(predictions[row]), _shown(answer)
                table[f"{row + 1}: {question}"] = f"file: {file}, weights: {weights}"
        return table


class Decoder:
    """A submitted model, run here by the reference."""

    def __init__(self, weights: Weights, plan: Plan, data: Data) -> None:
        self._data = data
        self._vocabulary = vocabulary(data)
        self.model, self.notes = _model(weights, plan)

    def answers(self, part: str, most: int | None, source: random.Random) -> Answers:
        """Return the model's answers to all rows of this part, or to `most` random ones.

        `source` draws them; who knows the rows can change all others.
        """
        from reference.models.prediction import predict_places, read_prompts

        prompts = read_prompts(self._data.folder / QUESTIONS[part])
        rows = _sample(len(prompts), most, source)
        with _one_thread():
            answers = predict_places(self.model, self._vocabulary, [prompts[row] for row in rows])
        questions = tuple(prompts[row][:-1].strip() for row in rows)
        return Answers(tuple(rows), questions, tuple(answers))


def vocabulary(data: Data) -> Vocabulary:
    """Return the characters of the corpus; read it again if it has changed."""
    corpus = data.folder / WIKI
    status = corpus.stat()
    return _characters(corpus, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=1)
def _characters(corpus: Path, _changed: int, _size: int) -> Vocabulary:
    return Vocabulary(corpus.read_text(encoding="utf-8"))


def _sample(count: int, most: int | None, source: random.Random) -> list[int]:
    """Return random rows in file order."""
    if most is None or count <= most:
        return list(range(count))
    return sorted(source.sample(range(count), most))


def _model(weights: Weights, plan: Plan) -> tuple[Any, tuple[str, ...]]:
    """Return the reference model with these weights, and notes on its rotary tables."""
    import torch

    from reference.models.gpt import GPT

    model = GPT(plan.config())
    defaults = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    tables, notes = _rotary_tables(weights, defaults)
    state = {**defaults, **plan.parameters(weights), **tables}
    model.load({name: torch.from_numpy(np.ascontiguousarray(state[name])) for name in defaults})
    return model.eval(), notes


def _rotary_tables(
    weights: Weights, own: Mapping[str, Array]
) -> tuple[dict[str, Array], tuple[str, ...]]:
    """Return the checkpoint's tables: a model must run with the rotation it was trained with."""
    names = [name for name in own if name.endswith(".rope_cache")]
    tables = {name: _table(weights.tensors.get(name), own[name].shape) for name in names}
    usable = {name: table for name, table in tables.items() if table is not None}
    if len(usable) < len(names):
        return usable, (
            "the checkpoint has no usable `rope_cache`, so the handout's table was used",
        )
    if any(np.abs(table - own[name]).max() > TABLE_ERROR for name, table in usable.items()):
        return usable, (
            "`rope_cache` in the checkpoint differs from the handout's table; it was used as is",
        )
    return usable, ()


def _table(array: Array | None, shape: tuple[int, ...]) -> Array | None:
    """Return the first rows of a table of (cos, sin), even if it is complex."""
    if array is None:
        return None
    pairs = np.stack([array.real, array.imag], axis=-1) if array.dtype.kind == "c" else array
    pairs = pairs[: shape[0]].astype(np.float32) if pairs.ndim == len(shape) else pairs
    return pairs if pairs.shape == shape and np.isfinite(pairs).all() else None


@contextmanager
def _one_thread() -> Iterator[None]:
    """Run torch on one thread: a batch grades one submission per processor."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _shown(text: str) -> str:
    return repr(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…")


# ---------------------------------------------------------------- other rotations

# A model is correct only with the rotation it was trained with. The most common wrong ones need no
# other code: they are the handout's rotation with changed weights or a changed table.


def trained_rotation(
    weights: Weights, plan: Plan, data: Data, fits: Callable[[Decoder], bool]
) -> str:
    """Return the rotation with which a model matches its predictions, in words, or nothing."""
    for says, changed in _others(weights, plan):
        if fits(Decoder(changed, plan, data)):
            return says
    return ""


def _others(weights: Weights, plan: Plan) -> Iterator[tuple[str, Weights]]:
    from reference.models.rotary import precompute_rotary_emb  # imports torch

    size = plan.size
    table = precompute_rotary_emb(size.n_embd // size.n_head, size.block_size).numpy()
    cos, sin = table[..., 0], table[..., 1]
    still = np.stack([np.ones_like(cos), np.zeros_like(sin)], axis=-1)
    yield "feature i is paired with i + d/2 instead of the next feature", _halves(weights, plan)
    yield "nothing is rotated", _with_table(weights, plan, still)
    yield (
        "features are rotated in the opposite direction, by -tθ",
        _with_table(weights, plan, np.stack([cos, -sin], axis=-1)),
    )


def _halves(weights: Weights, plan: Plan) -> Weights:
    """Return weights in which the two halves of each head are interleaved."""
    head = plan.size.n_embd // plan.size.n_head
    pairs = np.arange(head).reshape(2, head // 2).T.ravel()  # 0, d/2, 1, d/2 + 1, ...
    order = (np.arange(plan.size.n_head)[:, None] * head + pairs).ravel()
    return replace(
        weights,
        tensors={
            name: tensor[order] if name.endswith(TURNED) else tensor
            for name, tensor in weights.tensors.items()
        },
    )


def _with_table(weights: Weights, plan: Plan, table: Array) -> Weights:
    tables = {f"blocks.{i}.attn.rope_cache": table for i in range(plan.size.n_layer)}
    return replace(weights, tensors={**weights.tensors, **tables})
