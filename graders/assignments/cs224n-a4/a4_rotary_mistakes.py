"""The known mistakes of rotary embeddings: each is equation 3 with another setting."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace

import numpy as np
from a4_rotations import Rotation, Table

from graders.checks.mistakes import Mistake

THETA = "handout: θ_i = 10000^(-2(i-1)/d) for i = 1 … d/2"
ENTRIES = "entry [t, i] holds cos(tθ_i), then sin(tθ_i), for t = 0, 1, …"
TURN = "handout, equation 3: (a, b) becomes (a cos tθ - b sin tθ, a sin tθ + b cos tθ)"
PAIRS = "handout, equation 3: a pair is two neighbours, features 1 and 2, 3 and 4, …"
TIME = "x is (B, n_head, T, head size), and t counts along T: 0, 1, … T-1"

SIGN_SAYS = (
    "The exponent has the other sign: the starter's comment writes θ as 1/10000^(-2(i-1)/d), "
    "which is the inverse of what the handout asks for"
)
NO_ANGLE = "Nothing is rotated: the table holds the angle 0 for every position and pair"


def _bases() -> Iterator[tuple[Mistake, Table]]:
    named = {1e3: "1000", 1e5: "100000", 5e5: "500000", 1e6: "1000000", 10.0: "10"}
    for base, text in named.items():
        says = f"The base of θ is {text} in your table, not 10000"
        yield Mistake(f"base-{text}", says, THETA), Table(base=base)
    says = "The base of θ is e in your table: exp(-2(i-1)/d) lacks the factor log(10000)"
    yield Mistake("base-e", says, THETA), Table(base=float(np.e))


TOO_COARSE = Mistake(
    "too-coarse",
    "The table is nearly right but too coarse, as in half precision",
    "float32 errs by less than 1e-5",
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
        "Your θ_i is 10000^(-(i-1)/d): the factor 2 is missing in the exponent, or the base is 100",
        THETA,
    ): Table(power=-1.0),
    Mistake(
        "factor-twice",
        "Your θ_i is 10000^(-4(i-1)/d): the factor 2 is in the exponent twice (arange(0, d, 2) "
        "already has it, and so does a division by d/2)",
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
        "theta-twice", "Every θ is there twice, and the smallest ones are missing", THETA
    ): Table(twice=True),
    Mistake(
        "theta-reversed",
        "The θ are in reverse order: the last pair has θ = 1, not the first",
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
    Mistake("angles-only", "The table holds the angles tθ, not their cos and sin", ENTRIES): Table(
        columns=("angle", "angle")
    ),
    Mistake(
        "degrees", "The angle tθ is treated as degrees and converted; it is in radians", ENTRIES
    ): Table(scale=np.pi / 180),
    Mistake(
        "to-degrees", "The angle tθ is converted to degrees, but cos and sin take radians", ENTRIES
    ): Table(scale=180 / np.pi),
    Mistake("full-turns", "The angle is multiplied by 2π; it is tθ in radians", ENTRIES): Table(
        scale=2 * np.pi
    ),
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

# In these all dot products of queries and keys are right: only where the parts are put differs.
REORDERED: Mapping[Mistake, Rotation] = {
    Mistake(
        "output-in-halves",
        "Each pair is rotated correctly, but all first features come before all second ones "
        "instead of next to their partners",
        TURN,
    ): Rotation(output="halves"),
    Mistake("output-swapped", "The two features of each rotated pair are swapped", TURN): Rotation(
        formula=lambda x, y, s, cos, sin: y * cos - s * x * sin
    ),
}

# What the function does with a right table. Some of these look as if it had a wrong one.
FORMULAS: Mapping[Mistake, Rotation] = {
    **REORDERED,
    Mistake("no-rotation", "x is returned unchanged: nothing is rotated", TURN): Rotation(
        formula=lambda x, y, s, cos, sin: x
    ),
    Mistake(
        "pairs-of-halves",
        "Feature i is paired with feature i + d/2 (as in LLaMA's code), not with its neighbour",
        PAIRS,
    ): Rotation(pairs="halves", angles="halves", output="halves"),
    Mistake(
        "pairs-of-halves-to-neighbours",
        "Feature i is paired with feature i + d/2, and the results are put side by side",
        PAIRS,
    ): Rotation(pairs="halves", angles="halves", output="neighbours"),
    Mistake(
        "halves-with-repeated-angles",
        "Feature i is paired with feature i + d/2, but the angles are laid out for neighbours, so "
        "the two features of a pair turn by different angles",
        PAIRS,
    ): Rotation(pairs="halves", angles="neighbours", output="halves"),
    Mistake(
        "neighbours-with-tiled-angles",
        "Neighbours are paired, but the angles are laid out for halves (cat of the table with "
        "itself), so the two features of a pair turn by different angles",
        PAIRS,
    ): Rotation(angles="halves"),
    Mistake(
        "reversed", "The rotation goes the other way: the angle is -tθ, as with a conjugate", TURN
    ): Rotation(formula=lambda x, y, s, cos, sin: x * cos - s * y * sin),
    Mistake(
        "minus-missing", "A minus sign is missing: the first feature is a cos - b sin", TURN
    ): Rotation(formula=lambda x, y, s, cos, sin: x * cos + y * sin),
    Mistake(
        "minus-twice", "There is one minus sign too many: the second is a sin + b cos", TURN
    ): Rotation(formula=lambda x, y, s, cos, sin: x * cos - y * sin),
    Mistake("cos-sin-swapped", "cos and sin are swapped", TURN): Rotation(
        formula=lambda x, y, s, cos, sin: x * sin + s * y * cos
    ),
    Mistake(
        "component-wise",
        "The parts are multiplied one by one, (a cos, b sin); equation 4 is a complex product",
        TURN,
    ): Rotation(formula=lambda x, y, s, cos, sin: x * np.where(s < 0, cos, sin)),
    Mistake("sin-part-missing", "The terms with sin are missing", TURN): Rotation(
        formula=lambda x, y, s, cos, sin: x * cos
    ),
    Mistake("cos-part-missing", "The terms with cos are missing", TURN): Rotation(
        formula=lambda x, y, s, cos, sin: s * y * sin
    ),
    Mistake("added", "The table is added to x; it must multiply it", TURN): Rotation(
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
        "The second feature is computed from the first one after that was overwritten",
        TURN,
    ): Rotation(overwritten=True),
    Mistake("turned-twice", "x is rotated twice, by 2tθ", TURN): Rotation(table=Table(scale=2.0)),
    Mistake("heads-as-time", "The axis of the heads is read as time", TIME): Rotation(axis=1),
    Mistake("batch-as-time", "The axis of the batch is read as time", TIME): Rotation(axis=0),
    Mistake(
        "rows-from-one", "The rows 1 … T of the table are used instead of 0 … T-1", TIME
    ): Rotation(rows="second"),
    Mistake("rows-reversed", "The rows of the table are used in reverse order", TIME): Rotation(
        rows="reversed"
    ),
}
TURNED: Mapping[Mistake, Rotation] = {
    mistake: Rotation(table=table) for mistake, table in TABLES.items()
}


def last_rows(extra_rows: int) -> Mapping[Mistake, Rotation]:
    """What can go wrong only where the table is longer than x, by `extra_rows`."""
    return {
        Mistake("last-rows", "The last T rows of the table are used, not its first T", TIME):
            Rotation(rows="last", extra_rows=extra_rows),
        Mistake("rows-from-one", "The rows 1 … T of the table are used, not 0 … T-1", TIME):
            Rotation(rows="second"),
    }  # fmt: skip


def table_pairs() -> Iterator[tuple[Mistake, Table]]:
    """Two mistakes made together, where each changes something else."""
    for (one, a), (two, b) in itertools.combinations(TABLES.items(), 2):
        first, second = _changes(a), _changes(b)
        if not first.keys() & second.keys():
            says = f"Two things differ. {one.says}. And: {two.says}"
            equation = one.equation if one.equation == two.equation else f"{THETA}; {ENTRIES}"
            yield Mistake(f"{one.id}+{two.id}", says, equation), replace(a, **second)


def _changes(table: Table) -> dict[str, object]:
    right = Table()
    values = {each.name: getattr(table, each.name) for each in fields(Table)}
    return {name: value for name, value in values.items() if value != getattr(right, name)}
