"""A question for a model of the student's class, with drawn weights, and its result."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.boundary.outcome import clean
from graders.boundary.student import Student
from graders.checks.compare import describe, fail, is_close, largest_difference
from graders.checks.inputs import Inputs
from graders.errors import BadReply, GraderFault

from ..calls import ask_once
from ..replies import Floats, floats, mapping, sequence

CLASS = "CustomModelforSequenceClassification"
FAMILIES = ("bert", "roberta", "distilbert")
PADDING = {"bert": 0, "roberta": 1, "distilbert": 0}
FIRST_WORD = 10  # smaller ids may not be words
PREFIX_LENGTH = 128
NARROW, WIDE = 32, 768  # d of the stand-ins, and of the real models
ITEMS = 3
HEAD = 0.2  # the size of the head's weights: no softmax of its logits is 0 or 1
AGAIN = (
    "Keep nothing of a batch in the model: the last one of an epoch is smaller. If you average, "
    "average over a text's own tokens, so that no text depends on the others."
)
RANDOM = "In evaluation mode, logits must not be random: F.dropout needs training=self.training."
MOST_CALLS = 100  # of the backbone in one forward pass
MOST_KNOWN = 8  # cached weights; those of a wide backbone have millions of numbers
_KNOWN: dict[tuple[str, int, int], Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class Question:
    """A family of backbones, a kind of tuning, weights and a batch of texts."""

    family: str
    type: str
    weights: Mapping[str, Any]
    batch: Mapping[str, NDArray[Any]]

    @property
    def size(self) -> int:
        """The backbone's d."""
        return int(self.weights["weight"].shape[1])

    @property
    def length(self) -> int:
        """The length of the prefix; 128 if there is none."""
        prefix = self.weights.get("prefix")
        return PREFIX_LENGTH if prefix is None else len(prefix)

    @property
    def spec(self) -> dict[str, Any]:
        """The arguments with which the student's model is created."""
        sizes = {"length": self.length, "width": self.size}
        return {"family": self.family, "type": self.type, **sizes}

    @property
    def is_padded(self) -> bool:
        """Return whether the mask hides a part of a text."""
        return not self.batch["attention_mask"].all()

    def of_type(self, tuning: str) -> "Question":
        """Return the same question for a model of another type."""
        weights = {name: weight for name, weight in self.weights.items() if name != "prefix"}
        return replace(self, type=tuning, weights=weights)

    def all_seen(self) -> "Question":
        """Return the same ids with a mask that hides none."""
        return replace(
            self,
            batch={**self.batch, "attention_mask": np.ones_like(self.batch["attention_mask"])},
        )

    def first(self) -> "Question":
        """Return the same question with the first text only."""
        return replace(self, batch={name: values[:1] for name, values in self.batch.items()})

    def unpadded(self) -> "Question":
        """Return the same question with all texts as long as the longest."""
        return replace(
            self,
            batch={
                "input_ids": np.maximum(self.batch["input_ids"], FIRST_WORD),
                "attention_mask": np.ones_like(self.batch["attention_mask"]),
            },
        )


@dataclass(frozen=True, slots=True)
class Forward:
    """The result: logits, type of output, calls of the backbone, parameters outside of it."""

    logits: Floats
    output: str
    calls: tuple[Mapping[str, NDArray[Any] | None], ...]
    outside: Mapping[str, tuple[str, int]]  # name -> its part, and its number of elements
    prefix: int  # number of elements that are neither backbone nor head
    gradients: Mapping[str, float]
    training: Floats | None  # the logits in training mode without dropout, if not random
    pretrained: bool  # whether the backbone was made with its pretrained weights
    again: Floats | None  # the logits of all rows but the first, reversed, in a second call
    raised: str  # what that call raises
    random: bool  # whether the same batch gets other logits in each call

    @property
    def same_in_training(self) -> bool:
        """Whether the logits in training mode are the same, as far as they are known."""
        if self.training is None:
            return True
        if self.training.shape != self.logits.shape:
            return False
        return is_close(self.training, self.logits, "attention")

    def require_same_in_training(self) -> None:
        """Fail if the logits in training mode differ, although no dropout is on."""
        if self.training is not None and not self.same_in_training:
            fail(
                "In training mode the model returns other logits, even without dropout.",
                hint="Except for dropout, forward should compute the same in both modes.",
                actual=largest_difference(self.training, self.logits)
                if self.training.shape == self.logits.shape
                else f"shapes {self.training.shape} and {self.logits.shape}",
            )

    @property
    def same_again(self) -> bool:
        """Whether a second, smaller batch gets the logits of the same texts in the first."""
        expected, again = self.logits[:0:-1], self.again
        if not len(expected):
            return True
        if again is None or again.shape != expected.shape:
            return False
        return is_close(again, expected, "attention")

    def require_same_again(self) -> None:
        """Fail if a second, smaller batch gets other logits than the same texts in the first."""
        if self.same_again:
            return
        expected, again = self.logits[:0:-1], self.again
        if again is None or again.shape != expected.shape:
            fail(
                "A second, smaller batch does not get two logits per text.",
                hint=AGAIN,
                actual=self.raised,
            )
        fail(
            "In a second batch, the same texts get other logits.",
            hint=RANDOM if self.random else AGAIN,
            actual=largest_difference(again, expected),
        )

    def outside_of(self, part: str) -> Mapping[str, int]:
        """Return the parameters of one part outside the backbone, with their sizes."""
        return {name: size for name, (its, size) in self.outside.items() if its == part}


@dataclass(frozen=True, slots=True)
class Model:
    """The model to test: family, type, d, and the length of its prefix, if any."""

    family: str
    type: str
    width: int = NARROW
    length: int | None = None


def draw_question(inputs: Inputs, sandbox: Student, model: Model) -> Question:
    """Draw weights for this model, and texts of different lengths."""
    source = inputs.generator("model", model.family)
    size, family = model.width, model.family
    weights = _backbone(sandbox, family, inputs.seed("backbone", family), size)
    drawn: dict[str, Any] = {
        "backbone": weights,
        "weight": source.standard_normal((2, size), dtype=np.float32) * np.float32(HEAD),
        "bias": source.standard_normal(2, dtype=np.float32) * np.float32(HEAD),
    }
    texts = draw_texts(source, family, vocabulary_of(weights))
    if model.length is not None:
        drawn["prefix"] = source.standard_normal((model.length, size), dtype=np.float32)
    return Question(family, model.type, drawn, texts)


def _backbone(sandbox: Student, family: str, draw: int, width: int) -> Mapping[str, Any]:
    """Return the weights of this draw, requested only once."""
    key = (family, draw, width)
    if key not in _KNOWN:
        weights = sandbox.call("backbone_weights", family=family, draw=draw, width=width)
        if not isinstance(weights, dict):
            raise GraderFault("the oracle gave no weights")
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = weights
    return _KNOWN[key]


def vocabulary_of(weights: Mapping[str, Any]) -> int:
    """Return the number of tokens that a backbone with these weights knows."""
    return next(len(weight) for name, weight in weights.items() if "word_embeddings" in name)


def width_of(student: Student, file: str) -> int:
    """Return the d that the student's model needs: some hard-code roberta-base's."""

    def read(width: Any) -> int:
        return WIDE if type(width) is int and width == WIDE else NARROW

    return ask_once(student, "width", family=FAMILIES[0], file=file, read=read)


def draw_texts(
    source: np.random.Generator, family: str, vocabulary: int
) -> dict[str, NDArray[Any]]:
    """Draw ids and masks of a few texts, each shorter than the previous one."""
    T = int(source.integers(7, 12))
    lengths = np.array([T, T - 2, T - 4])[:ITEMS]
    mask = (np.arange(T) < lengths[:, None]).astype(np.int64)
    ids = source.integers(FIRST_WORD, vocabulary, (ITEMS, T))
    return {"input_ids": np.where(mask, ids, PADDING[family]), "attention_mask": mask}


def logits_of(student: Student, question: Question, file: str) -> Forward:
    """Return the student's logits for the question; fail if there are none."""
    return ask_once(
        student,
        "custom_forward",
        spec=question.spec,
        weights=dict(question.weights),
        batch=dict(question.batch),
        file=file,
        read=partial(_forward, question),
    )


def _forward(question: Question, reply: Any) -> Forward:
    mapping(reply, "logits", "kind", "calls", "parts", "prefix", "gradients", "training", "again")
    logits = floats(reply["logits"])
    if logits is None or logits.shape != (len(question.batch["input_ids"]), 2):
        fail(
            "forward does not return two logits per text.",
            hint='Return {"logits": a tensor of shape (B, 2)}.',
            expected=f"real numbers of shape {(len(question.batch['input_ids']), 2)}",
            actual=describe(reply["logits"]),
            counterexample={"type": question.type, "model": question.family},
        )
    return Forward(
        logits,
        str(reply["kind"]),
        tuple(_call(call) for call in reply["calls"][:MOST_CALLS]),
        outside_parts(reply["parts"]),
        reply["prefix"] if type(reply["prefix"]) is int else 0,
        {
            str(name): gradient
            for name, gradient in mapping(reply["gradients"]).items()
            if isinstance(gradient, float)
        },
        floats(reply["training"]),
        reply.get("pretrained") is not False,
        floats(reply["again"]),
        clean(reply["again"]) if isinstance(reply["again"], str) else "",
        reply.get("random") is True,
    )


def _call(reply: Any) -> Mapping[str, NDArray[Any] | None]:
    """Return the arguments of one call of the backbone; None for those that are not arrays."""
    return {
        str(name): value if isinstance(value, np.ndarray) and value.ndim else None
        for name, value in reply.items()
    }


def outside_parts(parts: Any) -> Mapping[str, tuple[str, int]]:
    """Return the parameters outside the backbone, with their part and number of elements."""
    parameters: dict[str, tuple[str, int]] = {}
    for name, entry in mapping(parts).items():
        fields = mapping(entry, "part", "shape")
        shape = sequence(fields["shape"], int)
        if fields["part"] not in ("head", "rest"):
            raise BadReply("The parts of your model could not be read.")
        parameters[name] = (fields["part"], int(np.prod(shape, dtype=np.int64)))
    return parameters
