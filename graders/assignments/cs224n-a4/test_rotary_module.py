"""CausalSelfAttention and GPT: where the rotation is used, and where it is not."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import pytest
from a4_rotary_modules import MODULE, MODULES, UNROTATED, Module, module_rotations
from a4_rotary_replies import as_floats, kind, normal, rotations
from a4_rotations import Floats, Projections, Rotation, Turn

from graders.boundary.student import Student
from graders.checks.compare import fail, is_close
from graders.errors import BadReply, StudentRaised

HEADS = 3
SIZE = {"n_embd": 24, "n_head": HEADS, "block_size": 128}  # no two axes of anything are alike
# A short text, a whole block, and a text of fewer characters than a head has pairs.
INPUTS = [normal(2, 7, 24, seed=8), normal(1, 128, 24, seed=9), normal(1, 3, 24, seed=10)]
ROLES = ("query", "key", "value", "proj")


@dataclass(frozen=True, slots=True)
class Observed:
    """One attention module of the student's: its weights and what it gave for INPUTS."""

    parameters: Mapping[str, Floats]
    outputs: Sequence[Floats]
    gradients: Mapping[str, float]

    def gives(self, module: Module, turn: Turn) -> Projections | None:
        """The reading of its weights under which it does what `module` does, if there is one."""
        for layers in _readings(self.parameters):
            if self._matches(module, turn, layers):
                return layers
        return None

    def _matches(self, module: Module, turn: Turn, layers: Projections) -> bool:
        return all(
            is_close(output, module.output(layers, x, HEADS, turn), "attention")
            for x, output in zip(INPUTS, self.outputs, strict=True)
        )


@pytest.mark.criterion("rotary", weight=8)
def test_queries_and_keys_rotated(student):
    """In the attention module queries and keys are rotated, head by head; values are not."""
    for layer, observed in enumerate(_observe(student, rope=True)):
        turns = [Rotation(), _own_turn(student)]
        if any(_is_rotated(observed, turn) for turn in turns):
            continue
        fail(
            "The attention module's output is not that of attention with rotated queries and keys.",
            hint=_known_mistake(observed, turns),
            counterexample={
                "layer": str(layer + 1),
                "n_embd, n_head, block_size": f"{SIZE['n_embd']}, {HEADS}, {SIZE['block_size']}",
                "shapes of x": "; ".join(str(x.shape) for x in INPUTS),
            },
        )


@pytest.mark.criterion("rotary", weight=1, depends_on=("shape-and-dtype-kept",))
def test_gradients_flow(student):
    """The rotation lets gradients through, so that queries and keys can learn."""
    for observed in _observe(student, rope=True):
        names = _query_and_key(observed.parameters)
        still = [name for name in names if not observed.gradients.get(name, 0.0) > 0]
        if still:
            fail(
                "No gradient reaches a part of the attention module.",
                hint="detach(), no_grad(), .data and numpy cut the graph between x and the result.",
                expected="a gradient for each weight matrix",
                actual=f"none for {', '.join(still[:4])}"[:200],
            )


@pytest.mark.criterion("rotary", weight=1, depends_on=("shape-and-dtype-kept",))
def test_vanilla_as_it_was(student):
    """Without rope the model keeps its learned positions, and attention rotates nothing."""
    for observed in _observe(student, rope=False):
        if observed.gives(UNROTATED, Rotation()) is None:
            fail(
                "The vanilla attention module does not give plain attention.",
                hint="Rotate only where config.rope is true.",
            )
    logits, _ = _constant_text(student, rope=False)
    if is_close(logits, np.broadcast_to(logits[:1], logits.shape), "attention"):
        fail(
            "The vanilla model says the same at every position of a text of one character.",
            hint="It needs its learned positions (pos_emb); only the rope model goes without.",
        )


@pytest.mark.criterion("rotary", weight=2, depends_on=("shape-and-dtype-kept",))
def test_no_learned_positions(student):
    """The rope model has no learned positions beside the rotation."""
    logits, names = _constant_text(student, rope=True)
    if not is_close(logits, np.broadcast_to(logits[:1], logits.shape), "attention"):
        fail(
            "With attention switched off, the rope model still tells positions apart.",
            hint="With rope there is no pos_emb: positions reach the model through q and k alone.",
            expected="the same logits at every position of a text of one character",
            actual=f"other logits; parameters with an axis of block_size: {names or 'none'}",
        )


def _observe(student: Student, *, rope: bool) -> Sequence[Observed]:
    reply = student.call("rope_attention", size=dict(SIZE), inputs=list(INPUTS), rope=rope)
    if not isinstance(reply, list) or not reply:
        _bad_reply()
    return [_observed(each) for each in reply[:4]]


def _observed(reply: Any) -> Observed:
    if not isinstance(reply, dict):
        _bad_reply()
    outputs, parameters = reply.get("outputs"), reply.get("parameters")
    gradients = reply.get("gradients")
    if not (isinstance(outputs, list) and isinstance(parameters, dict)):
        _bad_reply()
    if len(outputs) != len(INPUTS) or not isinstance(gradients, dict):
        _bad_reply()
    for x, output in zip(INPUTS, outputs, strict=True):
        if as_floats(output) is None or output.shape != x.shape:
            fail(
                "The attention module does not give back the shape of its input.",
                expected=f"real numbers of shape {x.shape}",
                actual=kind(output),
            )
    numbers = {name: as_floats(values) for name, values in parameters.items()}
    return Observed(
        {name: values for name, values in numbers.items() if values is not None},
        outputs,
        {name: each for name, each in gradients.items() if isinstance(each, float)},
    )


def _readings(parameters: Mapping[str, Floats]) -> Iterator[Projections]:
    """The ways to find query, key, value and proj among a module's parameters.

    By their names where they have the starter's; otherwise by trying: three projections may be
    one matrix, or have other names.
    """
    C = SIZE["n_embd"]
    if all(_shape(parameters, f"{role}.weight") == (C, C) for role in ROLES):
        yield Projections({role: _layer(parameters, f"{role}.weight") for role in ROLES})
        return
    for blocks in (_blocks(parameters, by_head=False), _blocks(parameters, by_head=True)):
        if len(blocks) == len(ROLES):
            for order in itertools.permutations(blocks):
                yield Projections(dict(zip(ROLES, order, strict=True)))


def _query_and_key(parameters: Mapping[str, Floats]) -> Sequence[str]:
    """The names of the weights that make queries and keys; of more where the names are new."""
    C = SIZE["n_embd"]
    named = [name for name in ("query.weight", "key.weight") if name in parameters]
    square = [name for name, w in parameters.items() if w.ndim == 2 and w.shape[1] == C]
    return named if len(named) == 2 else square


def _shape(parameters: Mapping[str, Floats], name: str) -> tuple[int, ...]:
    return parameters[name].shape if name in parameters else ()


def _layer(parameters: Mapping[str, Floats], name: str) -> tuple[Floats, Floats]:
    weight = parameters[name]
    bias = parameters.get(f"{name.removesuffix('weight')}bias", np.zeros(len(weight)))
    return weight, bias if bias.shape == weight.shape[:1] else np.zeros(len(weight))


def _blocks(parameters: Mapping[str, Floats], *, by_head: bool) -> Sequence[tuple[Floats, Floats]]:
    """All matrices of C columns, cut into blocks of C rows each."""
    C = SIZE["n_embd"]
    blocks = []
    for name, weight in parameters.items():
        if weight.ndim != 2 or weight.shape[1] != C or len(weight) % C or not len(weight):
            continue
        rows, (weight, bias) = np.arange(len(weight)), _layer(parameters, name)
        if by_head:  # all of one head's rows lie together: (head, part, feature)
            rows = rows.reshape(HEADS, -1, C // HEADS).swapaxes(0, 1).ravel()
        blocks += [(weight[part], bias[part]) for part in np.split(rows, len(rows) // C)]
    return blocks


def _own_turn(student: Student) -> Turn:
    """The student's own rotation, so that its mistakes do not cost the module's points again."""

    def turn(heads: Floats) -> Floats:
        x = heads.astype(np.float32)
        replies = rotations(student, [x], [SIZE["block_size"]])
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
    x = INPUTS[0]
    plain = UNROTATED.output(layers, x, HEADS, turn)
    return not is_close(Module().output(layers, x, HEADS, turn), plain, "attention")


def _known_mistake(observed: Observed, turns: Sequence[Turn]) -> str:
    """The hint of the known mistake that gives this module's output."""
    right, own = turns
    if any(SIZE["block_size"] in values.shape[:1] for values in observed.parameters.values()):
        return "The module has a parameter for each position: register the table as a buffer."
    for mistake, module in MODULES.items():
        if observed.gives(module, right) is not None:
            return mistake.hint
    for mistake, rotation in module_rotations(SIZE["n_embd"], HEADS).items():
        if observed.gives(Module(), rotation) is not None:
            return mistake.hint
    for mistake, module in MODULES.items():
        try:
            if observed.gives(module, own) is not None:
                return mistake.hint
        except StudentRaised:
            break
    return f"Rotate q and k, each (B, n_head, T, head size), before their product ({MODULE})."


def _constant_text(student: Student, *, rope: bool) -> tuple[Floats, str]:
    """What the model says at each position, and its parameters with an axis of positions."""
    reply = student.call("constant_text", size=dict(SIZE), rope=rope)
    if not isinstance(reply, dict) or not isinstance(reply.get("names"), list):
        _bad_reply()
    logits = as_floats(reply.get("logits"))
    if logits is None or logits.ndim != 3 or logits.shape[:2] != (1, SIZE["block_size"] - 1):
        fail(
            "The model does not give logits for each position.",
            expected=f"real numbers of shape (1, {SIZE['block_size'] - 1}, vocabulary)",
            actual=kind(reply.get("logits")),
        )
    if not np.isfinite(logits).all():
        fail("The model's logits are not finite (inf or nan).")
    return logits[0], ", ".join(str(name) for name in reply["names"][:4])[:200]


def _bad_reply() -> NoReturn:
    raise BadReply("What your code answered could not be read.")
