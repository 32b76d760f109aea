"""CausalSelfAttention and GPT: where the rotation is used, and where it is not."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import pytest
from a4_rotary_modules import MODULE, MODULES, UNROTATED, Module, module_rotations
from a4_rotary_replies import as_floats, kind, normal, rotations
from a4_rotary_unwritten import require_positions, rotates
from a4_rotations import Floats, Projections, Rotation, Turn

from graders.boundary.student import Student
from graders.checks.compare import fail, is_close
from graders.checks.inputs import Inputs
from graders.errors import BadReply, StudentRaised

BLOCKS = (101, 103, 107, 109, 113, 127)  # the size of nothing else, nor a multiple of it
ROLES = ("query", "key", "value", "proj")
WRITTEN = ("shape-and-dtype-kept", "module-is-written")


@dataclass(frozen=True, slots=True)
class Question:
    """A model's size, in which no two axes are alike, and what its attention modules are given.

    A short text, a whole block, and a text of fewer characters than a head has pairs.
    """

    n_embd: int
    n_head: int
    block_size: int
    xs: Sequence[Floats]

    @property
    def size(self) -> dict[str, int]:
        """The size by the starter's names."""
        return {"n_embd": self.n_embd, "n_head": self.n_head, "block_size": self.block_size}


@dataclass(frozen=True, slots=True)
class Observed:
    """One attention module of the student's: its weights and what it gave for the question."""

    question: Question
    parameters: Mapping[str, Floats]
    outputs: Sequence[Floats]
    gradients: Mapping[str, float]

    def gives(self, module: Module, turn: Turn) -> Projections | None:
        """The reading of its weights under which it does what `module` does, if there is one."""
        for layers in _readings(self.parameters, self.question):
            if self._matches(module, turn, layers):
                return layers
        return None

    def _matches(self, module: Module, turn: Turn, layers: Projections) -> bool:
        return all(
            is_close(output, module.output(layers, x, self.question.n_head, turn), "attention")
            for x, output in zip(self.question.xs, self.outputs, strict=True)
        )


@pytest.mark.criterion("rotary", weight=8)
def test_queries_and_keys_rotated(student, inputs):
    """In the attention module queries and keys are rotated, head by head; values are not."""
    question = _question(inputs)
    for layer, observed in enumerate(_observe(student, question, rope=True)):
        right, own = turns = Rotation(), _own_turn(student, question)
        if _is_rotated(observed, right):
            continue
        if _is_rotated(observed, own) and rotates(student, inputs):
            continue
        fail(
            "The attention module's output is not that of attention with rotated queries and keys.",
            hint=_known_mistake(observed, turns),
            counterexample={
                "layer": str(layer + 1),
                ", ".join(question.size): ", ".join(map(str, question.size.values())),
                "shapes of x": "; ".join(str(x.shape) for x in question.xs),
            },
        )


@pytest.mark.criterion("rotary", weight=0)
def test_module_is_written(student, inputs):
    """The attention module uses the rotation; what holds of any that does not is not counted."""
    require_positions(student, inputs, _question(inputs).size)


@pytest.mark.criterion("rotary", weight=1, depends_on=WRITTEN)
def test_gradients_flow(student, inputs):
    """The rotation lets gradients through, so that queries and keys can learn."""
    for observed in _observe(student, _question(inputs), rope=True):
        names = _query_and_key(observed)
        still = [name for name in names if not observed.gradients.get(name, 0.0) > 0]
        if still:
            fail(
                "No gradient reaches a part of the attention module.",
                hint="detach(), no_grad(), .data and numpy cut the graph between x and the result.",
                expected="a gradient for each weight matrix",
                actual=f"none for {', '.join(still[:4])}"[:200],
            )


@pytest.mark.criterion("rotary", weight=1, depends_on=WRITTEN)
def test_vanilla_as_it_was(student, inputs):
    """Without rope the model keeps its learned positions, and attention rotates nothing."""
    question = _question(inputs)
    for observed in _observe(student, question, rope=False):
        if observed.gives(UNROTATED, Rotation()) is None:
            fail(
                "The vanilla attention module does not give plain attention.",
                hint="Rotate only where config.rope is true.",
            )
    logits, _ = _constant_text(student, question, rope=False)
    if is_close(logits, np.broadcast_to(logits[:1], logits.shape), "attention"):
        fail(
            "The vanilla model says the same at every position of a text of one character.",
            hint="It needs its learned positions (pos_emb); only the rope model goes without.",
        )


@pytest.mark.criterion("rotary", weight=2, depends_on=WRITTEN)
def test_no_learned_positions(student, inputs):
    """The rope model has no learned positions beside the rotation."""
    logits, names = _constant_text(student, _question(inputs), rope=True)
    if not is_close(logits, np.broadcast_to(logits[:1], logits.shape), "attention"):
        fail(
            "With attention switched off, the rope model still tells positions apart.",
            hint="With rope there is no pos_emb: positions reach the model through q and k alone.",
            expected="the same logits at every position of a text of one character",
            actual=f"other logits; parameters with an axis of block_size: {names or 'none'}",
        )


def _question(inputs: Inputs) -> Question:
    source = inputs.random("attention")
    n_head, T, block_size = source.choice((3, 5)), source.choice((7, 9)), source.choice(BLOCKS)
    n_embd = n_head * source.choice((8, 10))
    shapes = [(2, T, n_embd), (1, block_size, n_embd), (1, 3, n_embd)]
    xs = [normal(inputs, "attention", *shape) for shape in shapes]
    return Question(n_embd, n_head, block_size, xs)


def _observe(student: Student, question: Question, *, rope: bool) -> Sequence[Observed]:
    values = {"size": question.size, "inputs": list(question.xs), "rope": rope}
    reply = student.call("rope_attention", **values)
    if not isinstance(reply, list) or not reply:
        _bad_reply()
    return [_observed(each, question) for each in reply[:4]]


def _observed(reply: Any, question: Question) -> Observed:
    if not isinstance(reply, dict):
        _bad_reply()
    outputs, parameters = reply.get("outputs"), reply.get("parameters")
    gradients = reply.get("gradients")
    if not (isinstance(outputs, list) and isinstance(parameters, dict)):
        _bad_reply()
    if len(outputs) != len(question.xs) or not isinstance(gradients, dict):
        _bad_reply()
    for x, output in zip(question.xs, outputs, strict=True):
        if as_floats(output) is None or output.shape != x.shape:
            fail(
                "The attention module does not give back the shape of its input.",
                expected=f"real numbers of shape {x.shape}",
                actual=kind(output),
            )
    numbers = {name: as_floats(values) for name, values in parameters.items()}
    return Observed(
        question,
        {name: values for name, values in numbers.items() if values is not None},
        outputs,
        {name: each for name, each in gradients.items() if isinstance(each, float)},
    )


def _readings(parameters: Mapping[str, Floats], question: Question) -> Iterator[Projections]:
    """The ways to find query, key, value and proj among a module's parameters.

    By their names where they have the starter's; otherwise by trying: three projections may be
    one matrix, or have other names.
    """
    C = question.n_embd
    if all(_shape(parameters, f"{role}.weight") == (C, C) for role in ROLES):
        yield Projections({role: _layer(parameters, f"{role}.weight") for role in ROLES})
        return
    for n_head in (0, question.n_head):
        blocks = _blocks(parameters, C, n_head)
        if len(blocks) == len(ROLES):
            for order in itertools.permutations(blocks):
                yield Projections(dict(zip(ROLES, order, strict=True)))


def _query_and_key(observed: Observed) -> Sequence[str]:
    """The names of the weights that make queries and keys; of more where the names are new."""
    C, parameters = observed.question.n_embd, observed.parameters
    named = [name for name in ("query.weight", "key.weight") if name in parameters]
    square = [name for name, w in parameters.items() if w.ndim == 2 and w.shape[1] == C]
    return named if len(named) == 2 else square


def _shape(parameters: Mapping[str, Floats], name: str) -> tuple[int, ...]:
    return parameters[name].shape if name in parameters else ()


def _layer(parameters: Mapping[str, Floats], name: str) -> tuple[Floats, Floats]:
    weight = parameters[name]
    bias = parameters.get(f"{name.removesuffix('weight')}bias", np.zeros(len(weight)))
    return weight, bias if bias.shape == weight.shape[:1] else np.zeros(len(weight))


def _blocks(
    parameters: Mapping[str, Floats], C: int, n_head: int
) -> Sequence[tuple[Floats, Floats]]:
    """All matrices of C columns, cut into blocks of C rows each, by head where n_head > 0."""
    blocks = []
    for name, weight in parameters.items():
        if weight.ndim != 2 or weight.shape[1] != C or len(weight) % C or not len(weight):
            continue
        rows, (weight, bias) = np.arange(len(weight)), _layer(parameters, name)
        if n_head:  # all of one head's rows lie together: (head, part, feature)
            rows = rows.reshape(n_head, -1, C // n_head).swapaxes(0, 1).ravel()
        blocks += [(weight[part], bias[part]) for part in np.split(rows, len(rows) // C)]
    return blocks


def _own_turn(student: Student, question: Question) -> Turn:
    """The student's own rotation, so that its mistakes do not cost the module's points again."""

    def turn(heads: Floats) -> Floats:
        x = heads.astype(np.float32)
        replies = rotations(student, [x], [question.block_size])
        result = as_floats(replies["own"][0].result) if "own" in replies else None
        return result if result is not None and result.shape == x.shape else heads

    return turn


def _is_rotated(observed: Observed, turn: Turn) -> bool:
    """Whether the module rotates by `turn`, and that is not the same as not rotating at all."""
    try:
        layers = observed.gives(Module(), turn)
    except StudentRaised:  # the student's rotation alone cannot be asked; the handout's was
        return False
    if layers is None:
        return False
    x, n_head = observed.question.xs[0], observed.question.n_head
    plain = UNROTATED.output(layers, x, n_head, turn)
    return not is_close(Module().output(layers, x, n_head, turn), plain, "attention")


def _known_mistake(observed: Observed, turns: Sequence[Turn]) -> str:
    """The hint of the known mistake that gives this module's output."""
    (right, own), question = turns, observed.question
    if any(question.block_size in values.shape[:1] for values in observed.parameters.values()):
        return "The module has a parameter for each position: register the table as a buffer."
    for mistake, module in MODULES.items():
        if observed.gives(module, right) is not None:
            return mistake.hint
    for mistake, rotation in module_rotations(question.n_embd, question.n_head).items():
        if observed.gives(Module(), rotation) is not None:
            return mistake.hint
    for mistake, module in MODULES.items():
        try:
            if observed.gives(module, own) is not None:
                return mistake.hint
        except StudentRaised:
            break
    return f"Rotate q and k, each (B, n_head, T, head size), before their product ({MODULE})."


def _constant_text(student: Student, question: Question, *, rope: bool) -> tuple[Floats, str]:
    """What the model says at each position, and its parameters with an axis of positions."""
    reply, T = student.call("constant_text", size=question.size, rope=rope), question.block_size - 1
    if not isinstance(reply, dict) or not isinstance(reply.get("names"), list):
        _bad_reply()
    logits = as_floats(reply.get("logits"))
    if logits is None or logits.ndim != 3 or logits.shape[:2] != (1, T):
        fail(
            "The model does not give logits for each position.",
            expected=f"real numbers of shape (1, {T}, vocabulary)",
            actual=kind(reply.get("logits")),
        )
    if not np.isfinite(logits).all():
        fail("The model's logits are not finite (inf or nan).")
    return logits[0], ", ".join(str(name) for name in reply["names"][:4])[:200]


def _bad_reply() -> NoReturn:
    raise BadReply("What your code answered could not be read.")
