"""The known mistakes of an attention module: what it rotates, and by which table."""

from collections.abc import Mapping
from dataclasses import dataclass

from a4_rotary_mistakes import ROTATIONS, THETA
from a4_rotations import Floats, Projections, Rotation, Table, Turn, attention, split

from graders.checks.mistakes import Mistake

MODULE = "handout, part (g): RoPE is applied to the key and query vectors for each head"


@dataclass(frozen=True, slots=True)
class Module:
    """What an attention module does between its projections and the softmax."""

    rotated: frozenset[str] = frozenset({"query", "key"})
    before_split: bool = False

    def output(self, layers: Projections, x: Floats, n_heads: int, turn: Turn) -> Floats:
        """The module's output (B, T, C) for x (B, T, C)."""
        q, k, v = (self._heads(layers, name, x, n_heads, turn) for name in ROLES)
        return layers.apply("proj", attention(q, k, v))

    def _heads(self, layers: Projections, name: str, x: Floats, n_heads: int, turn: Turn) -> Floats:
        if name in self.rotated and self.before_split:
            return split(turn(layers.apply(name, x)[:, None])[:, 0], n_heads)
        heads = layers.heads(name, x, n_heads)
        return turn(heads) if name in self.rotated else heads


ROLES = ("query", "key", "value")
UNROTATED = Module(frozenset())
MODULES: Mapping[Mistake, Module] = {
    Mistake(
        "module-unrotated",
        "Positions change nothing in the module: queries and keys are not rotated, or by the "
        "number of their head because they are still (B, T, n_head, head size)",
        MODULE,
    ): UNROTATED,
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


def module_rotations(n_embd: int, n_heads: int) -> Mapping[Mistake, Rotation]:
    """Ways to rotate queries and keys wrongly inside a module of this size."""
    says = "The table is made for n_embd; each head has n_embd // n_head features"
    wide = Rotation(table=Table(less_dim=n_embd // n_heads - n_embd))
    return {Mistake("table-for-n-embd", says, THETA): wide, **ROTATIONS}
