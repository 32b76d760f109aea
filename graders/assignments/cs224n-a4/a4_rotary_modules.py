"""The known mistakes of an attention module: what it rotates, and by which table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from a4_rotary_mistakes import FORMULAS, THETA, TURNED
from a4_rotations import Floats, Projections, Rotation, Table, Turn, attention, split

from graders.checks.mistakes import Mistake

MODULE = "handout, part (g): RoPE is applied to the key and query vectors for each head"


@dataclass(frozen=True, slots=True)
class Module:
    """What an attention module does between its projections and the softmax."""

    rotated: frozenset[str] = frozenset({"query", "key"})
    before_split: bool = False
    scaled: bool = True
    causal: bool = True
    softmax_axis: int = -1

    def output(self, layers: Projections, x: Floats, n_heads: int, turn: Turn) -> Floats:
        """The module's output (B, T, C) for x (B, T, C)."""
        q, k, v = (self._heads(layers, name, x, n_heads, turn) for name in ROLES)
        return layers.apply("proj", self._attend(q, k, v))

    def _attend(self, q: Floats, k: Floats, v: Floats) -> Floats:
        return attention(q, k, v, scaled=self.scaled, causal=self.causal, axis=self.softmax_axis)

    def _heads(self, layers: Projections, name: str, x: Floats, n_heads: int, turn: Turn) -> Floats:
        if name in self.rotated and self.before_split:
            return split(turn(layers.apply(name, x)[:, None])[:, 0], n_heads)
        heads = layers.heads(name, x, n_heads)
        return turn(heads) if name in self.rotated else heads


ROLES = ("query", "key", "value")
UNROTATED = Module(frozenset())
NOT_CALLED = Mistake(
    "module-unrotated",
    "Queries and keys are not rotated: the module does not call apply_rotary_emb",
    MODULE,
)
UNUSED = Mistake(
    "rotation-unused",
    "The module calls apply_rotary_emb, but attends with queries and keys that are not rotated",
    MODULE,
)
HEADS_AS_TIME = Mistake(
    "rotated-by-heads",
    "apply_rotary_emb is called with (B, T, n_head, head size), so queries and keys are rotated "
    "by the number of their head",
    MODULE,
)
TABLE_TRAINED = Mistake(
    "table-trained",
    "The module has a trainable parameter with one row per position",
    "the table is constant; register_buffer keeps it",
)
ALWAYS_ROTATED = Mistake(
    "vanilla-rotated",
    "Queries and keys are rotated without rope, too",
    "rotate only where config.rope is true",
)
LEARNED_TOO = Mistake(
    "positions-learned-too",
    "The rope model has learned positions, too",
    "with rope there is no pos_emb: positions reach the model only through q and k",
)
SCORES = "attention: softmax(q · k / sqrt(head size)) over the keys up to the query's position"
_STEPS: Mapping[Mistake, Mapping[str, Any]] = {
    Mistake("attention-unscaled", "q · k is not divided by sqrt(head size)", SCORES):
        {"scaled": False},
    Mistake("attention-not-causal", "The causal mask is missing from the scores", SCORES):
        {"causal": False},
    Mistake("attention-softmax-axis", "The softmax runs over the queries, not the keys", SCORES):
        {"softmax_axis": -2},
}  # fmt: skip
# The same mistakes behind queries and keys that are rotated correctly, and without rotation.
ATTENDING = {mistake: Module(**step) for mistake, step in _STEPS.items()}
PLAIN_ATTENDING = {mistake: replace(UNROTATED, **step) for mistake, step in _STEPS.items()}
MODULES: Mapping[Mistake, Module] = {
    Mistake("query-only", "Only the queries are rotated, not the keys", MODULE):
        Module(frozenset({"query"})),
    Mistake("key-only", "Only the keys are rotated, not the queries", MODULE):
        Module(frozenset({"key"})),
    Mistake("value-too", "The values are rotated too; only queries and keys are", MODULE):
        Module(frozenset(ROLES)),
    Mistake("value-only", "The values are rotated instead of queries and keys", MODULE):
        Module(frozenset({"value"})),
    Mistake("query-and-value", "Queries and values are rotated, not the keys", MODULE):
        Module(frozenset({"query", "value"})),
    Mistake("key-and-value", "Keys and values are rotated, not the queries", MODULE):
        Module(frozenset({"key", "value"})),
    Mistake(
        "before-split",
        "Queries and keys are rotated before they are split into heads",
        MODULE,
    ): Module(before_split=True),
}  # fmt: skip


def module_rotations(n_embd: int, n_heads: int) -> Sequence[Mapping[Mistake, Rotation]]:
    """Ways to rotate queries and keys wrongly inside a module of this size, by their kind."""
    says = "The table is made for n_embd, but each head has n_embd // n_head features"
    wide = Rotation(table=Table(less_dim=n_embd // n_heads - n_embd))
    return ({Mistake("table-for-n-embd", says, THETA): wide}, FORMULAS, TURNED)
