"""The known mistakes of rotary embeddings: each is equation 3 with another setting."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np

from graders.checks.mistakes import Mistake

from .expected import Floats, Projections, Rotation, Table, Turn, attention, split

THETA = "handout: θ_i = 10000^(-2(i-1)/d) for i = 1 … d/2"
ENTRIES = "entry [t, i] is cos(tθ_i), then sin(tθ_i), for t = 0, 1, …"
TURN = "handout, equation 3: (a, b) becomes (a cos tθ - b sin tθ, a sin tθ + b cos tθ)"
PAIRS = "handout, equation 3: a pair is two adjacent features: 1 and 2, 3 and 4, …"
TIME = "x is (B, n_head, T, head size), and t runs along T: 0, 1, … T-1"
MODULE = "handout, part (g): RoPE is applied to the key and query vectors for each head"
SCORES = "attention: softmax(q · k / sqrt(head size)) over keys up to the query's position"
theta, entry, turning, pairing, timing, module, scores = (
    partial(Mistake, equation=equation)
    for equation in (THETA, ENTRIES, TURN, PAIRS, TIME, MODULE, SCORES)
)

SIGN_SAYS = (
    "The sign of the exponent is wrong: the starter's comment writes θ as 1/10000^(-2(i-1)/d), "
    "which is the inverse of the handout's formula"
)
NO_ANGLE = "Nothing is rotated: the angle is 0 for every position and pair"


def _bases() -> Iterator[tuple[Mistake, Table]]:
    named = {1e3: "1000", 1e5: "100000", 5e5: "500000", 1e6: "1000000", 10.0: "10"}
    for base, text in named.items():
        says = f"The base of θ is {text} in your table, not 10000"
        yield theta(f"base-{text}", says), Table(base=base)
    says = "The base of θ is e in your table: exp(-2(i-1)/d) is missing the factor log(10000)"
    yield theta("base-e", says), Table(base=float(np.e))


TOO_COARSE = Mistake(
    "too-coarse",
    "The table is almost correct but not precise enough, as in half precision",
    "the error in float32 is below 1e-5",
)

TABLES: Mapping[Mistake, Table] = {
    theta("exponent-sign", SIGN_SAYS): Table(power=2.0),
    theta(
        "index-one-up", "The index of θ is off by one: your first θ is 10000^(-2/d), not 1"
    ): Table(first_pair=0.0),
    theta(
        "index-one-down", "The index of θ is off by one: your first θ is 10000^(2/d), not 1"
    ): Table(first_pair=2.0),
    theta(
        "factor-missing",
        "Your θ_i is 10000^(-(i-1)/d): the exponent is missing the factor 2, or the base is 100",
    ): Table(power=-1.0),
    theta(
        "factor-twice",
        "Your θ_i is 10000^(-4(i-1)/d): the exponent has the factor 2 twice (arange(0, d, 2) "
        "already includes it, and so does a division by d/2)",
    ): Table(power=-4.0),
    theta(
        "dim-less-two", "The exponent of θ is divided by d - 2 (as linspace(0, 1, d/2) does)"
    ): Table(less_dim=2),
    theta("dim-missing", "The exponent of θ is not divided by d"): Table(divided=False),
    theta(
        "exponent-rounded",
        "Every θ is 1: the exponent of θ is rounded to 0, as by an integer division (`//`)",
    ): Table(rounding=np.trunc),
    theta(
        "exponent-rounded-down",
        "The exponent of θ is rounded down to a whole number, as by an integer division (`//`)",
    ): Table(rounding=np.floor),
    theta("theta-twice", "Every θ appears twice, and the smallest ones are missing"): Table(
        twice=True
    ),
    theta(
        "theta-reversed",
        "The values of θ are in reverse order: the last pair has θ = 1, not the first",
    ): Table(pairs_reversed=True),
    entry(
        "positions-from-one", "Positions are counted from 1; the first row belongs to t = 0"
    ): Table(first_position=1.0),
    entry(
        "positions-reversed", "The rows are in reverse order: the first row belongs to t = 0"
    ): Table(positions_reversed=True),
    entry("sin-first", "sin and cos are swapped in the table"): Table(columns=("sin", "cos")),
    entry("cos-only", "Both entries of the table are cos"): Table(columns=("cos", "cos")),
    entry("sin-only", "Both entries of the table are sin"): Table(columns=("sin", "sin")),
    entry("sin-negative", "The angle is negated: the second entry is -sin(tθ)"): Table(
        columns=("cos", "-sin")
    ),
    entry("angles-only", "The table contains the angles tθ, not their cos and sin"): Table(
        columns=("angle", "angle")
    ),
    entry("degrees", "The angle tθ is converted from degrees, but it is already in radians"): Table(
        scale=np.pi / 180
    ),
    entry(
        "to-degrees", "The angle tθ is converted to degrees, but cos and sin take radians"
    ): Table(scale=180 / np.pi),
    entry("full-turns", "The angle is multiplied by 2π; it should be tθ in radians"): Table(
        scale=2 * np.pi
    ),
    entry("no-angle", NO_ANGLE): Table(scale=0.0),
    entry(
        "cat-reshaped",
        "cos and sin are joined with cat and then reshaped, which mixes different pairs; "
        "stack(..., dim=-1) puts them side by side",
    ): Table(layout="cat-reshaped"),
    entry(
        "stack-reshaped",
        "cos and sin are stacked along the first axis and then reshaped, which mixes different "
        "positions; stack(..., dim=-1) puts them side by side",
    ): Table(layout="stack-reshaped"),
    **dict(_bases()),
}

# In these, all dot products of queries and keys are correct; only the order of features differs.
REORDERED: Mapping[Mistake, Rotation] = {
    turning(
        "output-in-halves",
        "Each pair is rotated correctly, but the halves are concatenated: all first features, then "
        "all second ones. Interleave each pair instead",
    ): Rotation(output="halves"),
    turning("output-swapped", "The two features of each rotated pair are swapped"): Rotation(
        formula=lambda x, y, s, cos, sin: y * cos - s * x * sin
    ),
}

# Mistakes of the function with a correct table. Some of these look like a wrong table.
FORMULAS: Mapping[Mistake, Rotation] = {
    **REORDERED,
    turning("no-rotation", "x is returned unchanged: nothing is rotated"): Rotation(
        formula=lambda x, y, s, cos, sin: x
    ),
    pairing(
        "pairs-of-halves",
        "Feature i is paired with feature i + d/2 (as in LLaMA's code), not with the next feature",
    ): Rotation(pairs="halves", angles="halves", output="halves"),
    pairing(
        "pairs-of-halves-to-neighbours",
        "Feature i is paired with feature i + d/2, and the results are interleaved",
    ): Rotation(pairs="halves", angles="halves", output="neighbours"),
    pairing(
        "halves-with-repeated-angles",
        "Feature i is paired with feature i + d/2, but the angles are laid out for adjacent "
        "features, so the two features of a pair turn by different angles",
    ): Rotation(pairs="halves", angles="neighbours", output="halves"),
    pairing(
        "neighbours-with-tiled-angles",
        "Adjacent features are paired, but the angles are laid out for halves (cat of the table "
        "with itself), so the two features of a pair turn by different angles",
    ): Rotation(angles="halves"),
    turning(
        "reversed",
        "The rotation goes in the opposite direction: the angle is -tθ, as with a conjugate",
    ): Rotation(formula=lambda x, y, s, cos, sin: x * cos - s * y * sin),
    turning(
        "minus-missing", "A minus sign is missing: the first feature should be a cos - b sin"
    ): Rotation(formula=lambda x, y, s, cos, sin: x * cos + y * sin),
    turning(
        "minus-twice",
        "There is one minus sign too many: the second feature should be a sin + b cos",
    ): Rotation(formula=lambda x, y, s, cos, sin: x * cos - y * sin),
    turning("cos-sin-swapped", "cos and sin are swapped"): Rotation(
        formula=lambda x, y, s, cos, sin: x * sin + s * y * cos
    ),
    turning(
        "component-wise",
        "The product is element-wise, (a cos, b sin); equation 4 is a complex product",
    ): Rotation(formula=lambda x, y, s, cos, sin: x * np.where(s < 0, cos, sin)),
    turning("sin-part-missing", "The terms with sin are missing"): Rotation(
        formula=lambda x, y, s, cos, sin: x * cos
    ),
    turning("cos-part-missing", "The terms with cos are missing"): Rotation(
        formula=lambda x, y, s, cos, sin: s * y * sin
    ),
    turning("added", "The table is added to x; it should be multiplied"): Rotation(
        formula=lambda x, y, s, cos, sin: x + np.where(s < 0, cos, sin)
    ),
    turning("first-only", "Only the first feature of each pair is changed"): Rotation(
        formula=lambda x, y, s, cos, sin: np.where(s < 0, x * cos - y * sin, x)
    ),
    turning("second-only", "Only the second feature of each pair is changed"): Rotation(
        formula=lambda x, y, s, cos, sin: np.where(s > 0, x * cos + y * sin, x)
    ),
    turning(
        "overwritten",
        "The second feature is computed from the first one after the first was overwritten",
    ): Rotation(overwritten=True),
    turning("turned-twice", "x is rotated twice, by 2tθ"): Rotation(table=Table(scale=2.0)),
    timing("heads-as-time", "The head axis is used as time"): Rotation(axis=1),
    timing("batch-as-time", "The batch axis is used as time"): Rotation(axis=0),
    timing("rows-from-one", "Rows 1 … T of the table are used instead of 0 … T-1"): Rotation(
        rows="second"
    ),
    timing("rows-reversed", "The rows of the table are used in reverse order"): Rotation(
        rows="reversed"
    ),
}
TURNED: Mapping[Mistake, Rotation] = {
    mistake: Rotation(table=table) for mistake, table in TABLES.items()
}


def last_rows(extra_rows: int) -> Mapping[Mistake, Rotation]:
    """Return the mistakes that are possible only if the table is longer than x, by `extra_rows`."""
    return {
        timing("last-rows", "The last T rows of the table are used instead of the first T"):
            Rotation(rows="last", extra_rows=extra_rows),
        timing("rows-from-one", "Rows 1 … T of the table are used, not 0 … T-1"):
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
    values = {field.name: getattr(table, field.name) for field in fields(Table)}
    return {name: value for name, value in values.items() if value != getattr(right, name)}


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
        joined = attention(q, k, v, scaled=self.scaled, causal=self.causal, axis=self.softmax_axis)
        return layers.apply("proj", joined)

    def _heads(self, layers: Projections, name: str, x: Floats, n_heads: int, turn: Turn) -> Floats:
        if name in self.rotated and self.before_split:
            return split(turn(layers.apply(name, x)[:, None])[:, 0], n_heads)
        heads = layers.heads(name, x, n_heads)
        return turn(heads) if name in self.rotated else heads


ROLES = ("query", "key", "value")
UNROTATED = Module(frozenset())
NOT_CALLED = module(
    "module-unrotated",
    "Queries and keys are not rotated: the module does not call apply_rotary_emb",
)
UNUSED = module(
    "rotation-unused",
    "The module calls apply_rotary_emb, but attends with queries and keys that are not rotated",
)
HEADS_AS_TIME = module(
    "rotated-by-heads",
    "apply_rotary_emb is called with (B, T, n_head, head size), so queries and keys are rotated "
    "by head index instead of position",
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
_STEPS: Mapping[Mistake, Mapping[str, Any]] = {
    Mistake("attention-unscaled", "q · k is not divided by sqrt(head size)", SCORES):
        {"scaled": False},
    scores("attention-not-causal", "The causal mask is missing from the scores"):
        {"causal": False},
    scores("attention-softmax-axis", "The softmax runs over the queries, not the keys"):
        {"softmax_axis": -2},
}  # fmt: skip
# The same mistakes after queries and keys are rotated correctly, and without rotation.
ATTENDING = {mistake: Module(**step) for mistake, step in _STEPS.items()}
PLAIN_ATTENDING = {mistake: replace(UNROTATED, **step) for mistake, step in _STEPS.items()}
MODULES: Mapping[Mistake, Module] = {
    module("query-only", "Only the queries are rotated, not the keys"):
        Module(frozenset({"query"})),
    module("key-only", "Only the keys are rotated, not the queries"):
        Module(frozenset({"key"})),
    module("value-too", "The values are rotated too; only queries and keys should be"):
        Module(frozenset(ROLES)),
    module("value-only", "The values are rotated instead of queries and keys"):
        Module(frozenset({"value"})),
    module("query-and-value", "Queries and values are rotated, not the keys"):
        Module(frozenset({"query", "value"})),
    module("key-and-value", "Keys and values are rotated, not the queries"):
        Module(frozenset({"key", "value"})),
    module(
        "before-split",
        "Queries and keys are rotated before they are split into heads"): Module(before_split=True),
}  # fmt: skip


def module_rotations(n_embd: int, n_heads: int) -> Sequence[Mapping[Mistake, Rotation]]:
    """Return ways to rotate queries and keys wrongly in a module of this size, by kind."""
    says = "The table is computed for n_embd, but each head has n_embd // n_head features"
    wide = Rotation(table=Table(less_dim=n_embd // n_heads - n_embd))
    return ({theta("table-for-n-embd", says): wide}, FORMULAS, TURNED)
