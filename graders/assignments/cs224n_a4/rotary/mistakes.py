"""The known mistakes of rotary embeddings: each is equation 3 with another setting."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from graders.checks.mistakes import Mistake

from .expected import Floats, Projections, Rotation, Table, Turn, attention, split

THETA = "handout: θ_i = 10000^(-2(i-1)/d) for i = 1 … d/2"
ENTRIES = "entry [t, i] is cos(tθ_i), then sin(tθ_i), for t = 0, 1, …"
TURN = "handout, equation 3: (a, b) becomes (a cos tθ - b sin tθ, a sin tθ + b cos tθ)"
PAIRS = "handout, equation 3: a pair is two adjacent features: 1 and 2, 3 and 4, …"
TIME = "x is (B, n_head, T, head size), and t runs along T: 0, 1, … T-1"

SIGN_SAYS = (
    "The sign of the exponent is wrong: the starter's comment writes θ as 1/10000^(-2(i-1)/d), "
    "which is the inverse of the handout's formula"
)
NO_ANGLE = "Nothing is rotated: the angle is 0 for every position and pair"


def _bases() -> Iterator[tuple[Mistake, Table]]:
    named = {1e3: "1000", 1e5: "100000", 5e5: "500000", 1e6: "1000000", 10.0: "10"}
    for base, text in named.items():
        says = f"The base of θ is {text} in your table, not 10000"
        yield Mistake(f"base-{text}", says, THETA), Table(base=base)
    says = "The base of θ is e in your table: exp(-2(i-1)/d) is missing the factor log(10000)"
    yield Mistake("base-e", says, THETA), Table(base=float(np.e))


TOO_COARSE = Mistake(
    "too-coarse",
    "The table is almost correct but not precise enough, as in half precision",
    "the error in float32 is below 1e-5",
)

TABLES: Mapping[Mistake, Table] = {
    Mistake("exponent-sign", SIGN_SAYS, THETA): Table(power=2.0),
    Mistake(
        "index-one-up", "The index of θ is off by one: your first θ is 10000^(-2/d), not 1", THETA
    ): Table(first_pair=0.0),
    Mistake(
        "index-one-down", "The index of θ is off by one: your first θ is 10000^(2/d), not 1", THETA
    ): Table(first_pair=2.0),
    Mistake(
        "factor-missing",
        "Your θ_i is 10000^(-(i-1)/d): the exponent is missing the factor 2, or the base is 100",
        THETA,
    ): Table(power=-1.0),
    Mistake(
        "factor-twice",
        "Your θ_i is 10000^(-4(i-1)/d): the exponent has the factor 2 twice (arange(0, d, 2) "
        "already includes it, and so does a division by d/2)",
        THETA,
    ): Table(power=-4.0),
    Mistake(
        "dim-less-two", "The exponent of θ is divided by d - 2 (as linspace(0, 1, d/2) does)", THETA
    ): Table(less_dim=2),
    Mistake("dim-missing", "The exponent of θ is not divided by d", THETA): Table(divided=False),
    Mistake(
        "exponent-rounded",
        "Every θ is 1: the exponent of θ is rounded to 0, as by an integer division (`//`)",
        THETA,
    ): Table(rounding=np.trunc),
    Mistake(
        "exponent-rounded-down",
        "The exponent of θ is rounded down to a whole number, as by an integer division (`//`)",
        THETA,
    ): Table(rounding=np.floor),
    Mistake(
        "theta-twice", "Every θ appears twice, and the smallest ones are missing", THETA
    ): Table(twice=True),
    Mistake(
        "theta-reversed",
        "The values of θ are in reverse order: the last pair has θ = 1, not the first",
        THETA,
    ): Table(pairs_reversed=True),
    Mistake(
        "positions-from-one",
        "Positions are counted from 1; the first row belongs to t = 0",
        ENTRIES,
    ): Table(first_position=1.0),
    Mistake(
        "positions-reversed",
        "The rows are in reverse order: the first row belongs to t = 0",
        ENTRIES,
    ): Table(positions_reversed=True),
    Mistake("sin-first", "sin and cos are swapped in the table", ENTRIES): Table(
        columns=("sin", "cos")
    ),
    Mistake("cos-only", "Both entries of the table are cos", ENTRIES): Table(
        columns=("cos", "cos")
    ),
    Mistake("sin-only", "Both entries of the table are sin", ENTRIES): Table(
        columns=("sin", "sin")
    ),
    Mistake("sin-negative", "The angle is negated: the second entry is -sin(tθ)", ENTRIES): Table(
        columns=("cos", "-sin")
    ),
    Mistake(
        "angles-only", "The table contains the angles tθ, not their cos and sin", ENTRIES
    ): Table(columns=("angle", "angle")),
    Mistake(
        "degrees", "The angle tθ is converted from degrees, but it is already in radians", ENTRIES
    ): Table(scale=np.pi / 180),
    Mistake(
        "to-degrees", "The angle tθ is converted to degrees, but cos and sin take radians", ENTRIES
    ): Table(scale=180 / np.pi),
    Mistake(
        "full-turns", "The angle is multiplied by 2π; it should be tθ in radians", ENTRIES
    ): Table(scale=2 * np.pi),
    Mistake("no-angle", NO_ANGLE, ENTRIES): Table(scale=0.0),
    Mistake(
        "cat-reshaped",
        "cos and sin are joined with cat and then reshaped, which mixes different pairs; "
        "stack(..., dim=-1) puts them side by side",
        ENTRIES,
    ): Table(layout="cat-reshaped"),
    Mistake(
        "stack-reshaped",
        "cos and sin are stacked along the first axis and then reshaped, which mixes different "
        "positions; stack(..., dim=-1) puts them side by side",
        ENTRIES,
    ): Table(layout="stack-reshaped"),
    **dict(_bases()),
}

# In these, all dot products of queries and keys are correct; only the order of features differs.
REORDERED: Mapping[Mistake, Rotation] = {
    Mistake(
        "output-in-halves",
        "Each pair is rotated correctly, but the halves are concatenated: all first features, then "
        "all second ones. Interleave each pair instead",
        TURN,
    ): Rotation(output="halves"),
    Mistake("output-swapped", "The two features of each rotated pair are swapped", TURN): Rotation(
        formula=lambda x, y, s, cos, sin: y * cos - s * x * sin
    ),
}

# Mistakes of the function with a correct table. Some of these look like a wrong table.
FORMULAS: Mapping[Mistake, Rotation] = {
    **REORDERED,
    Mistake("no-rotation", "x is returned unchanged: nothing is rotated", TURN): Rotation(
        formula=lambda x, y, s, cos, sin: x
    ),
    Mistake(
        "pairs-of-halves",
        "Feature i is paired with feature i + d/2 (as in LLaMA's code), not with the next feature",
        PAIRS,
    ): Rotation(pairs="halves", angles="halves", output="halves"),
    Mistake(
        "pairs-of-halves-to-neighbours",
        "Feature i is paired with feature i + d/2, and the results are interleaved",
        PAIRS,
    ): Rotation(pairs="halves", angles="halves", output="neighbours"),
    Mistake(
        "halves-with-repeated-angles",
        "Feature i is paired with feature i + d/2, but the angles are laid out for adjacent "
        "features, so the two features of a pair turn by different angles",
        PAIRS,
    ): Rotation(pairs="halves", angles="neighbours", output="halves"),
    Mistake(
        "neighbours-with-tiled-angles",
        "Adjacent features are paired, but the angles are laid out for halves (cat of the table "
        "with itself), so the two features of a pair turn by different angles",
        PAIRS,
    ): Rotation(angles="halves"),
    Mistake(
        "reversed",
        "The rotation goes in the opposite direction: the angle is -tθ, as with a conjugate",
        TURN,
    ): Rotation(formula=lambda x, y, s, cos, sin: x * cos - s * y * sin),
    Mistake(
        "minus-missing", "A minus sign is missing: the first feature should be a cos - b sin", TURN
    ): Rotation(formula=lambda x, y, s, cos, sin: x * cos + y * sin),
    Mistake(
        "minus-twice",
        "There is one minus sign too many: the second feature should be a sin + b cos",
        TURN,
    ): Rotation(formula=lambda x, y, s, cos, sin: x * cos - y * sin),
    Mistake("cos-sin-swapped", "cos and sin are swapped", TURN): Rotation(
        formula=lambda x, y, s, cos, sin: x * sin + s * y * cos
    ),
    Mistake(
        "component-wise",
        "The product is element-wise, (a cos, b sin); equation 4 is a complex product",
        TURN,
    ): Rotation(formula=lambda x, y, s, cos, sin: x * np.where(s < 0, cos, sin)),
    Mistake("sin-part-missing", "The terms with sin are missing", TURN): Rotation(
        formula=lambda x, y, s, cos, sin: x * cos
    ),
    Mistake("cos-part-missing", "The terms with cos are missing", TURN): Rotation(
        formula=lambda x, y, s, cos, sin: s * y * sin
    ),
    Mistake("added", "The table is added to x; it should be multiplied", TURN): Rotation(
        formula=lambda x, y, s, cos, sin: x + np.where(s < 0, cos, sin)
    ),
    Mistake("first-only", "Only the first feature of each pair is changed", TURN): Rotation(
        formula=lambda x, y, s, cos, sin: np.where(s < 0, x * cos - y * sin, x)
    ),
    Mistake("second-only", "Only the second feature of each pair is changed", TURN): Rotation(
        formula=lambda x, y, s, cos, sin: np.where(s > 0, x * cos + y * sin, x)
    ),
    Mistake(
        "overwritten",
        "The second feature is computed from the first one after the first was overwritten",
        TURN,
    ): Rotation(overwritten=True),
    Mistake("turned-twice", "x is rotated twice, by 2tθ", TURN): Rotation(table=Table(scale=2.0)),
    Mistake("heads-as-time", "The head axis is used as time", TIME): Rotation(axis=1),
    Mistake("batch-as-time", "The batch axis is used as time", TIME): Rotation(axis=0),
    Mistake("rows-from-one", "Rows 1 … T of the table are used instead of 0 … T-1", TIME): Rotation(
        rows="second"
    ),
    Mistake("rows-reversed", "The rows of the table are used in reverse order", TIME): Rotation(
        rows="reversed"
    ),
}
TURNED: Mapping[Mistake, Rotation] = {
    mistake: Rotation(table=table) for mistake, table in TABLES.items()
}


def last_rows(extra_rows: int) -> Mapping[Mistake, Rotation]:
    """Return the mistakes that are possible only if the table is longer than x, by `extra_rows`."""
    return {
        Mistake("last-rows", "The last T rows of the table are used instead of the first T", TIME):
            Rotation(rows="last", extra_rows=extra_rows),
        Mistake("rows-from-one", "Rows 1 … T of the table are used, not 0 … T-1", TIME):
            Rotation(rows="second"),
    }  # fmt: skip


def table_pairs() -> Iterator[tuple[Mistake, Table]]:
    """Yield pairs of mistakes made together, if each changes something different."""
    for (one, a), (two, b) in itertools.combinations(TABLES.items(), 2):
        first, second = _changes(a), _changes(b)
        if not first.keys() & second.keys():
            says = f"There are two mistakes. {one.says}. Also: {two.says}"
            equation = one.equation if one.equation == two.equation else f"{THETA}; {ENTRIES}"
            yield Mistake(f"{one.id}+{two.id}", says, equation), replace(a, **second)


def _changes(table: Table) -> dict[str, Any]:
    right = Table()
    values = {each.name: getattr(table, each.name) for each in fields(Table)}
    return {name: value for name, value in values.items() if value != getattr(right, name)}


MODULE = "handout, part (g): RoPE is applied to the key and query vectors for each head"


@dataclass(frozen=True, slots=True)
class Module:
    """The steps of an attention module between its projections and the softmax."""

    rotated: frozenset[str] = frozenset({"query", "key"})
    before_split: bool = False
    scaled: bool = True
    causal: bool = True
    softmax_axis: int = -1

    def output(self, layers: Projections, x: Floats, n_heads: int, turn: Turn) -> Floats:
        """Return the module's output (B, T, C) for x (B, T, C)."""
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
    "by head index instead of position",
    MODULE,
)
TABLE_TRAINED = Mistake(
    "table-trained",
    "The module has a trainable parameter with one row per position",
    "the table is constant; store it with register_buffer",
)
ALWAYS_ROTATED = Mistake(
    "vanilla-rotated",
    "Queries and keys are also rotated without rope",
    "rotate only where config.rope is true",
)
LEARNED_TOO = Mistake(
    "positions-learned-too",
    "The rope model also has learned positions",
    "with rope there is no pos_emb: positions reach the model only through q and k",
)
SCORES = "attention: softmax(q · k / sqrt(head size)) over keys up to the query's position"
_STEPS: Mapping[Mistake, Mapping[str, Any]] = {
    Mistake("attention-unscaled", "q · k is not divided by sqrt(head size)", SCORES):
        {"scaled": False},
    Mistake("attention-not-causal", "The causal mask is missing from the scores", SCORES):
        {"causal": False},
    Mistake("attention-softmax-axis", "The softmax runs over the queries, not the keys", SCORES):
        {"softmax_axis": -2},
}  # fmt: skip
# The same mistakes after queries and keys are rotated correctly, and without rotation.
ATTENDING = {mistake: Module(**step) for mistake, step in _STEPS.items()}
PLAIN_ATTENDING = {mistake: replace(UNROTATED, **step) for mistake, step in _STEPS.items()}
MODULES: Mapping[Mistake, Module] = {
    Mistake("query-only", "Only the queries are rotated, not the keys", MODULE):
        Module(frozenset({"query"})),
    Mistake("key-only", "Only the keys are rotated, not the queries", MODULE):
        Module(frozenset({"key"})),
    Mistake("value-too", "The values are rotated too; only queries and keys should be", MODULE):
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
    """Return ways to rotate queries and keys wrongly in a module of this size, by kind."""
    says = "The table is computed for n_embd, but each head has n_embd // n_head features"
    wide = Rotation(table=Table(less_dim=n_embd // n_heads - n_embd))
    return ({Mistake("table-for-n-embd", says, THETA): wide}, FORMULAS, TURNED)
