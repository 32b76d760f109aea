"""CausalSelfAttention and GPT: where the rotation is used, and where it is not."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, as_floats, describe, fail, is_close
from graders.checks.inputs import Inputs
from graders.checks.mistakes import Mistake
from graders.errors import StudentRaised

from . import mistakes
from .expected import Floats, Projections, Rotation, Turn
from .layouts import ROLES, readings
from .mistakes import UNROTATED, Module
from .replies import normal, results, rotations
from .unwritten import require_positions, rotates

BLOCKS = (101, 103, 107, 109, 113, 127)  # primes that no other axis has
WRITTEN = ("rotation-is-written", "module-is-written")
ATTENTION = (
    "Compare the forward pass with the starter's: q · k / sqrt(head size), causal mask, softmax "
    "over keys, weighted sum of values, joined heads, proj."
)
NOT_PLAIN = f"Without rope, the module doesn't compute plain attention either. {ATTENTION}"
NOT_FINITE = "The attention module's output contains numbers that are not finite (inf or nan)."
FIND_NAN = (
    "Print torch.isfinite(...).all() of the table, of the rotated q and k, and of the scores to "
    "find where it starts."
)
BOTH_MODES = (
    "Except for dropout, the forward pass should be the same in training and evaluation mode."
)
CUT = (
    "Use only differentiable torch operations between x and the result: detach(), no_grad(), .data "
    "and numpy detach the graph."
)
NO_INFLUENCE = "The graph is intact, but changing these weights does not change the output."
DROPOUT = 0.5
# Limits on a reply, to read it quickly; a module of this size has 8 parameters with 10,000 numbers.
MOST_MODULES, MOST_PARAMETERS, MOST_NUMBERS, MOST_CALLS, MOST_TEXT = 4, 500, 200_000, 100, 200


@dataclass(frozen=True, slots=True)
class Question:
    """The size of a model, with axes that all differ, and the inputs of its attention modules.

    The inputs are a short text, a whole block, and a text shorter than the number of pairs.
    """

    n_embd: int
    n_head: int
    block_size: int
    xs: Sequence[Floats]

    @property
    def size(self) -> dict[str, int]:
        """The size, under the starter's names."""
        return {"n_embd": self.n_embd, "n_head": self.n_head, "block_size": self.block_size}

    def with_whole_block(self) -> "Question":
        """Return the same question without the texts that are shorter than the block."""
        return replace(self, xs=[x for x in self.xs if x.shape[1] == self.block_size])


@dataclass(frozen=True, slots=True)
class Observed:
    """One of the student's attention modules: its weights and its outputs for the question."""

    question: Question
    parameters: Mapping[str, Floats]
    outputs: Sequence[Floats]
    gradients: Mapping[str, float]
    unused: Sequence[str]  # parameters without a gradient that the output does not depend on
    rotated: Sequence[tuple[int, ...]]  # shapes passed to apply_rotary_emb
    training: "Observed | str | None" = None  # the same in training mode, or the exception

    @property
    def is_finite(self) -> bool:
        """Return whether all outputs are finite."""
        return all(np.isfinite(output).all() for output in self.outputs)

    def gives(self, module: Module, turn: Turn) -> Projections | None:
        """Return the reading of its weights under which it computes what `module` does, if any."""
        examples = list(zip(self.question.xs, self.outputs, strict=True))
        for layers in self._fitting():
            pairs = ((y, module.output(layers, x, self.question.n_head, turn)) for x, y in examples)
            if all(is_close(output, expected, "attention") for output, expected in pairs):
                return layers
        return None

    def _fitting(self) -> Sequence[Projections]:
        """Return the readings of its weights that explain the first position.

        It attends only to itself, whatever the rotation is. If none does, return the usual ones.
        """
        C, n_head = self.question.n_embd, self.question.n_head
        x, output = self.question.xs[0][:, :1], self.outputs[0][:, :1]
        every = readings(self.parameters, C, n_head)
        fitting = [
            layers
            for layers in every
            if is_close(output, layers.apply("proj", layers.apply("value", x)), "attention")
        ]
        return fitting or list(readings(self.parameters, C, n_head, usual=True))


@pytest.mark.criterion("rotary", weight=1.0)
def test_queries_and_keys_rotated(student: Student, inputs: Inputs) -> None:
    """The attention module rotates queries and keys in each head; the rest is plain attention."""
    try:
        _judge_rotation(student, inputs)
    except (CheckFailed, StudentRaised):
        student.renew()  # state left by earlier calls is tested elsewhere
        _judge_rotation(student, inputs)


@pytest.mark.criterion("rotary", weight=0)
def test_module_is_written(student: Student, inputs: Inputs) -> None:
    """Prerequisite: the attention module uses the rotation."""
    require_positions(student, inputs, _question(inputs).size)


@pytest.mark.criterion("rotary", weight=0.3, depends_on=WRITTEN)
def test_gradients_flow(student: Student, inputs: Inputs) -> None:
    """Gradients pass through the attention module, so that all of its weights can learn."""
    question = _question(inputs)
    for observed in _observe(student, question.with_whole_block(), rope=True):
        if not all(np.isfinite(gradient) for gradient in observed.gradients.values()):
            fail(
                "Gradients in the attention module are not finite (inf or nan).",
                hint="" if observed.is_finite else f"The output is not finite either. {FIND_NAN}",
            )
        still = _without_gradient(observed)
        cut = not set(still) <= {*observed.gradients, *observed.unused}
        if still and not cut:  # not the rotation's fault if they have no influence without rope
            for vanilla in _observe(student, question.with_whole_block(), rope=False)[:1]:
                still = [name for name in still if name not in _without_gradient(vanilla)]
        if still:
            fail(
                "No gradient reaches a part of the attention module.",
                hint=CUT if cut else _unused(observed) or NO_INFLUENCE,
                expected="a gradient for x and for each weight matrix",
                actual=f"none for {', '.join(still[:4])}"[:200],
            )


@pytest.mark.criterion("rotary", weight=0.3, depends_on=WRITTEN)
def test_vanilla_as_it_was(student: Student, inputs: Inputs) -> None:
    """Without rope, attention rotates nothing and keeps learned positions and dropout."""
    question = _question(inputs)
    for observed in _observe(student, question, rope=False):
        for mode, observation in _modes(observed):
            if observation.gives(UNROTATED, Rotation()) is None:
                fail(
                    f"The vanilla attention module does not compute plain attention{mode}.",
                    hint=_vanilla_mistake(observation, _own_turn(student, question, inputs)),
                )
    _judge_dropout(student, question, rope=False)
    with contextlib.suppress(StudentRaised):  # another check reports it
        _judge_dropout(student, question, rope=True)
    logits, _ = _constant_text(student, question, rope=False)
    if is_close(logits, np.broadcast_to(logits[:1], logits.shape), "attention"):
        fail(
            "The vanilla model gives the same logits at every position of a text that repeats one "
            "character.",
            hint="Keep the learned positions (pos_emb); only the rope model has none.",
        )


@pytest.mark.criterion("rotary", weight=0.2, depends_on=WRITTEN)
def test_no_learned_positions(student: Student, inputs: Inputs) -> None:
    """The rope model has no learned positions in addition to the rotation."""
    logits, names = _constant_text(student, _question(inputs), rope=True)
    if not is_close(logits, np.broadcast_to(logits[:1], logits.shape), "attention"):
        fail(
            "With attention switched off, the rope model can still tell positions apart.",
            hint=mistakes.LEARNED_TOO.hint
            if names
            else "Positions reach a rope model only through q and k in attention.",
            expected="the same logits at every position of a text that repeats one character",
            actual=f"different logits; parameters with an axis of block_size: {names or 'none'}",
        )


def _judge_rotation(student: Student, inputs: Inputs) -> None:
    question = _question(inputs)
    for layer, observed in enumerate(_observe(student, question, rope=True)):
        right, own_turn = turns = Rotation(), _own_turn(student, question, inputs)
        where = {
            "layer": str(layer + 1),
            ", ".join(question.size): ", ".join(map(str, question.size.values())),
            "shapes of x": "; ".join(str(x.shape) for x in question.xs),
        }
        is_right = partial(_is_right, turns=(right, own_turn), student=student, inputs=inputs)
        for mode, observation in _modes(observed):
            if not observation.is_finite:
                fail(NOT_FINITE, hint=FIND_NAN, counterexample=where)
            if is_right(observation):
                continue
            in_training = isinstance(observed.training, Observed) and is_right(observed.training)
            only = mode or (" in evaluation mode" if in_training else "")
            hint = _known_mistake(observation, turns, _is_plain(student, question))
            fail(
                "The attention module's output does not match causal attention with rotated "
                f"queries and keys{only}.",
                hint=f"{BOTH_MODES} {hint}" if only else hint,
                counterexample=where,
            )


def _is_right(observed: Observed, turns: Sequence[Turn], student: Student, inputs: Inputs) -> bool:
    """Return whether the module rotates by the handout's rotation, or by the student's own one."""
    right, own_turn = turns
    return _is_rotated(observed, right) or (
        _is_rotated(observed, own_turn) and rotates(student, inputs)
    )


def _modes(observed: Observed) -> Iterator[tuple[str, Observed]]:
    """Yield what a module gave in evaluation mode, then in training mode, with the mode's name.

    Fails if it raises only in training mode. Training mode is skipped if it cannot be compared.
    """
    yield "", observed
    if isinstance(observed.training, str):
        fail(
            "The attention module raises in training mode, but not in evaluation mode.",
            hint=BOTH_MODES,
            actual=observed.training,
        )
    if observed.training is not None:
        yield " in training mode", observed.training


def _judge_dropout(student: Student, question: Question, *, rope: bool) -> None:
    """Fail if dropout acts in evaluation mode, or in training mode not at all or on everything."""
    x, name = question.xs[0], "rope" if rope else "vanilla"
    dropped = student.call(
        "dropped_out",
        size=dict(question.size),
        x=x,
        rope=rope,
        dropout=DROPOUT,
        read=lambda reply: {
            mode: _Dropped(
                _changes(reply[mode][:2], x.shape),
                _ignores(reply[mode][2:4], x.shape),
                _looks_ahead(reply[mode][2:], x.shape),
            )
            for mode in ("evaluation", "training")
        },
    )
    if dropped["training"].ignores and not dropped["evaluation"].ignores:
        fail(
            f"In training mode, the output of the {name} attention module doesn't depend on x: "
            "dropout drops everything.",
            hint="The argument of nn.Dropout is the probability to drop a value. Keep the "
            "starter's rates.",
        )
    if dropped["training"].looks_ahead and not dropped["evaluation"].looks_ahead:
        fail(
            f"In training mode with dropout {DROPOUT}, the {name} attention module uses later "
            "positions: another last vector changes the outputs before it.",
            hint="Dropout belongs after the softmax. It replaces scores by 0, and masked ones too.",
        )
    in_training = dropped["training"].changes
    if dropped["evaluation"].changes:
        fail(
            f"With dropout {DROPOUT}, the {name} attention module gives different outputs for the "
            "same x in evaluation mode.",
            hint="Dropout should act only in training mode. Create nn.Dropout in __init__, or pass "
            "training=self.training to F.dropout, or dropout_p=(rate if self.training else 0.0) to "
            "F.scaled_dot_product_attention.",
        )
    if in_training is False:
        fail(
            f"With dropout {DROPOUT}, the {name} attention module gives equal outputs for the same "
            "x in training mode, so dropout has no effect.",
            hint="Keep the starter's dropout on the attention weights and on the output.",
        )


@dataclass(frozen=True, slots=True)
class _Dropped:
    """The effects of dropout in one mode."""

    changes: bool | None  # whether two outputs for one x differ; None if that cannot be seen
    ignores: bool  # whether opposite inputs have the same output, with the same random numbers
    looks_ahead: bool  # whether another last position changes earlier outputs, in the same way


def _ignores(outputs: Any, shape: tuple[int, ...]) -> bool:
    """Return whether two outputs are finite and equal."""
    values = [floats for output in outputs if (floats := as_floats(output)) is not None]
    if len(values) != 2 or any(value.shape != shape for value in values):
        return False
    return bool(np.isfinite(values[0]).all()) and np.array_equal(values[0], values[1])


def _looks_ahead(outputs: Any, shape: tuple[int, ...]) -> bool:
    """Return whether another last position changes the outputs before it.

    It cannot be seen if the same x does not give equal outputs with the same random numbers.
    """
    values = [floats for output in outputs if (floats := as_floats(output)) is not None]
    if len(values) != 4 or any(value.shape != shape for value in values):
        return False
    one, _, other, again = values
    if not np.array_equal(one, again) or not np.isfinite([one, other]).all():
        return False
    return not is_close(one[:, :-1], other[:, :-1], "attention")


def _changes(outputs: Any, shape: tuple[int, ...]) -> bool | None:
    """Return whether two outputs differ, or None if dropout could not show in them."""
    values = [floats for output in outputs if (floats := as_floats(output)) is not None]
    if len(values) != 2 or any(value.shape != shape for value in values):
        return None
    one, other = values
    if not (np.isfinite(one).all() and np.isfinite(other).all() and one.any()):
        return None
    return not np.array_equal(one, other)


def _question(inputs: Inputs) -> Question:
    source = inputs.random("attention")
    n_head, T, block_size = source.choice((3, 5)), source.choice((7, 9)), source.choice(BLOCKS)
    # Neither the number of heads nor its double is the size of a head: code may confuse them.
    n_embd = n_head * source.choice((8, 10) if n_head == 3 else (8, 12))
    shapes = [(2, T, n_embd), (1, block_size, n_embd), (1, 3, n_embd)]
    xs = [normal(inputs, "attention", *shape) for shape in shapes]
    return Question(n_embd, n_head, block_size, xs)


def _observe(student: Student, question: Question, *, rope: bool) -> Sequence[Observed]:
    return student.call(
        "rope_attention",
        size=dict(question.size),
        inputs=list(question.xs),
        rope=rope,
        read=partial(_modules, question),
    )


def _modules(question: Question, reply: Any) -> Sequence[Observed]:
    if not reply:
        raise ValueError("no attention module")
    return [_observed(module, question) for module in reply[:MOST_MODULES]]


def _observed(reply: Any, question: Question) -> Observed:
    evaluation, training = _observed_in(reply, question), reply["training"]
    if training["raised"]:
        return replace(evaluation, training=str(training["raised"])[:MOST_TEXT])
    if not training["outputs"]:
        return evaluation
    return replace(evaluation, training=_observed_in({**reply, **training}, question))


def _observed_in(reply: Mapping[str, Any], question: Question) -> Observed:
    """Return what a module gave in one mode."""
    for x, output in zip(question.xs, reply["outputs"], strict=True):
        if as_floats(output) is None or output.shape != x.shape:
            fail(
                "The attention module's output does not have the shape of its input.",
                expected=f"real numbers of shape {x.shape}",
                actual=describe(output),
            )
    parameters = {n: p for n, p in reply["parameters"].items() if isinstance(p, np.ndarray)}
    numbers = sum(parameter.size for parameter in parameters.values())
    if len(reply["parameters"]) > MOST_PARAMETERS or numbers > MOST_NUMBERS:
        raise ValueError("more parameters than a module of this size has")
    return Observed(
        question,
        {n: real for n, p in parameters.items() if (real := as_floats(p)) is not None},
        reply["outputs"],
        {name: value for name, value in reply["gradients"].items() if isinstance(value, float)},
        [str(name)[:MOST_TEXT] for name in reply["unused"][:MOST_PARAMETERS]],
        [tuple(map(int, shape)) for shape in reply["rotated"][:MOST_CALLS]],
    )


def _without_gradient(observed: Observed) -> Sequence[str]:
    """Return what gets no gradient: x, or weights that are named or shaped as the starter's are."""
    C, parameters = observed.question.n_embd, observed.parameters
    named = [name for role in ROLES if (name := f"{role}.weight") in parameters]
    square = [name for name, w in parameters.items() if w.ndim == 2 and w.shape[1] == C]
    names = ["x", *(named if len(named) == len(ROLES) else square)]
    return [name for name in names if not observed.gradients.get(name, 0.0) > 0]


def _unused(observed: Observed) -> str:
    """Return a sentence that names the weights that are not used, or nothing."""
    names = [f"`{name}`" for name in _without_gradient(observed) if name in observed.unused]
    verb = "is" if len(names) == 1 else "are"
    return f"{', '.join(names[:4])} {verb} not used in the forward pass." if names else ""


@dataclass(frozen=True, slots=True)
class OwnTurn:
    """The student's own rotation, so that its mistakes do not cost points twice.

    It is called directly, or as the module calls it if it is correct only that way. `right` says
    whether it is correct in either way. Known mistakes rotate the same heads again and again, so
    the student's code is asked once for each.
    """

    student: Student
    block_size: int
    way: str
    right: bool
    rotated: dict[object, Floats] = field(default_factory=dict, compare=False)

    def __call__(self, heads: Floats) -> Floats:
        """Return queries or keys rotated, or unchanged if the student's rotation gives nothing."""
        x = heads.astype(np.float32)
        key = (x.shape, x.tobytes())
        if key not in self.rotated:
            self.rotated[key] = self._ask(x)
        return self.rotated[key]

    def _ask(self, x: Floats) -> Floats:
        by_way = results(rotations(self.student, [x], [self.block_size]))
        rotated = (by_way[way] for way in (self.way, "module own", "own") if way in by_way)
        return next((result for result in rotated if result.shape == x.shape), x)


def _own_turn(student: Student, question: Question, inputs: Inputs) -> OwnTurn:
    x = normal(inputs, "own turn", 2, question.n_head, 7, question.n_embd // question.n_head)
    try:
        by_way = results(rotations(student, [x]))
    except StudentRaised:
        return OwnTurn(student, question.block_size, "own", right=False)
    for way in ("given", "module given", "module second given"):
        if way in by_way and is_close(by_way[way], Rotation()(x), "rotation"):
            return OwnTurn(student, question.block_size, way.replace("given", "own"), right=True)
    return OwnTurn(student, question.block_size, "module own", right=False)


def _is_rotated(observed: Observed, turn: Turn) -> bool:
    """Return whether the module rotates by `turn`.

    The output must show it, unless the rotation itself is wrong and changes nothing in attention;
    then the module must call it.
    """
    try:
        layers = observed.gives(Module(), turn)
    except StudentRaised:  # the student's rotation cannot be called directly; the handout's matched
        return False
    if layers is None:
        return False
    if isinstance(turn, OwnTurn) and not turn.right and observed.rotated:
        return True
    x, n_head = observed.question.xs[0], observed.question.n_head
    plain = UNROTATED.output(layers, x, n_head, turn)
    return not is_close(Module().output(layers, x, n_head, turn), plain, "attention")


def _known_mistake(observed: Observed, turns: Sequence[Turn], plain: bool) -> str:
    """Return the hint of the only known mistake that gives this module's output.

    `plain` means that the module computes plain attention without rope.
    """
    (right, own_turn), question = turns, observed.question
    if observed.gives(UNROTATED, right) is not None:
        return _unrotated(observed).hint
    general = f"{_unused(observed)} {_general(observed) if plain else NOT_PLAIN}".strip()
    kinds: list[Mapping[Mistake, tuple[Module, Turn]]] = [
        {mistake: (module, right) for mistake, module in mistakes.MODULES.items()},
        *(
            {mistake: (Module(), rotation) for mistake, rotation in kind.items()}
            for kind in mistakes.module_rotations(question.n_embd, question.n_head)
        ),
        {mistake: (module, own_turn) for mistake, module in mistakes.MODULES.items()},
        {mistake: (module, right) for mistake, module in mistakes.ATTENDING.items()},
        {mistake: (module, right) for mistake, module in mistakes.PLAIN_ATTENDING.items()},
        {mistake: (module, own_turn) for mistake, module in mistakes.ATTENDING.items()},
    ]
    for kind in kinds:
        try:
            matches = [mistake for mistake, way in kind.items() if observed.gives(*way) is not None]
        except StudentRaised:
            break
        if matches:
            return matches[0].hint if len(matches) == 1 else general
    if any(question.block_size in values.shape[:1] for values in observed.parameters.values()):
        return mistakes.TABLE_TRAINED.hint
    return general


def _general(observed: Observed) -> str:
    """Return a hint from the calls of apply_rotary_emb if no known mistake explains the output."""
    size, shapes = observed.question.size, observed.rotated
    B, T, _ = observed.question.xs[0].shape
    heads = (B, size["n_head"], T, size["n_embd"] // size["n_head"])
    if not shapes:
        return (
            "apply_rotary_emb is not called. Rotate q and k before their product "
            f"({mistakes.MODULE})."
        )
    if shapes[0] != heads:
        return (
            f"apply_rotary_emb is called with shape {shapes[0]}; q and k have shape "
            f"(B, n_head, T, head size) = {heads} there ({mistakes.MODULE})."
        )
    return (
        "apply_rotary_emb is called with the correct shape. Is the result used for both q and k? "
        f"{ATTENTION}"
    )


def _unrotated(observed: Observed) -> Mistake:
    """Return the ways in which a module computes plain attention."""
    size, shapes = observed.question.size, {shape[-3:] for shape in observed.rotated}
    heads = {
        (x.shape[1], size["n_head"], size["n_embd"] // size["n_head"]) for x in observed.question.xs
    }
    if not shapes:
        return mistakes.NOT_CALLED
    return mistakes.HEADS_AS_TIME if shapes <= heads else mistakes.UNUSED


def _is_plain(student: Student, question: Question) -> bool:
    """Return whether the module computes plain attention without rope."""
    try:
        modules = _observe(student, question, rope=False)
    except (CheckFailed, StudentRaised):
        return False
    return all(module.gives(UNROTATED, Rotation()) is not None for module in modules)


def _vanilla_mistake(observed: Observed, own: Turn) -> str:
    """Return the hint for a vanilla module that does not compute plain attention."""
    if _is_rotated(observed, Rotation()) or _is_rotated(observed, own):
        return mistakes.ALWAYS_ROTATED.hint
    matches = [
        mistake
        for mistake, module in mistakes.PLAIN_ATTENDING.items()
        if observed.gives(module, Rotation()) is not None
    ]
    return matches[0].hint if len(matches) == 1 else f"{_unused(observed)} {ATTENTION}".strip()


def _constant_text(student: Student, question: Question, *, rope: bool) -> tuple[Floats, str]:
    """Return the model's logits at each position, and its parameters with an axis of positions."""
    return student.call(
        "constant_text",
        size=dict(question.size),
        rope=rope,
        read=partial(_logits, question.block_size),
    )


def _logits(T: int, reply: Any) -> tuple[Floats, str]:
    logits = as_floats(reply["logits"])
    if logits is None or logits.ndim != 3 or logits.shape[:2] != (1, T):
        fail(
            "The model does not return logits for each position.",
            expected=f"real numbers of shape (1, {T}, vocabulary)",
            actual=describe(reply["logits"]),
        )
    if not np.isfinite(logits).all():
        fail("The model's logits are not finite (inf or nan).")
    return logits[0], ", ".join(str(name) for name in reply["names"][:4])[:MOST_TEXT]
