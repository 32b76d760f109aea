"""The words of a formula: the question's names, functions, constants, and words of prose."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from graders.written.formula.reading.characters import GREEK

FUNCTIONS = {
    **{name: name for name in ("sqrt", "exp", "norm", "outer", "inv", "pinv", "min", "max", "abs")},
    **{"log": "log", "ln": "log", "inverse": "inv", "transpose": "transpose", "lg": "log2"},
    **{"dot": "dot", "inner": "dot", "matmul": "matmul", "pow": "pow", "eye": "eye", "sum": "sum"},
}
APPLIED = {"T": "transpose", "O": "order", "Theta": "order"}  # functions only before a bracket
GREEK_NAMES = frozenset(GREEK.values())
WORDS = """
for large where with when and the any very big small some such that all positive constant number
scalar since because then are can will should would has have its this there which from only let
each every goes tends infinity sufficiently enough is if as or to at be so of in an it we by on
per not use used using value values key keys vector matrix scaled approximately about equal
equals otherwise same times plus minus over divided parameters params weights trainable learnable
time operations layer layers total entries numbers heads tokens elements components
"""
NOT_HERE = """
softmax sigmoid relu tanh sin cos tan trace tr det diag rank span mean average argmax concat sign
floor ceil round prod var std lim int eval
"""
PROSE = frozenset(WORDS.split())
FOREIGN = frozenset(NOT_HERE.split())
NOUNS = frozenset(("constant", "scalar", "number", "factor", "large", "big"))
INDICES = tuple("ijklmnrst")
UNKNOWN_LETTER, UNKNOWN_WORD = 10, 50
LONGEST_PIECE = 24


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that a question defines, and every way to spell them."""

    names: frozenset[str]
    spelled: dict[tuple[str, tuple[str, ...]], str]  # (base, sorted subscripts) -> name
    joined: dict[str, str]  # `ka` -> `k_a`

    @classmethod
    def of(cls, names: Iterable[str]) -> "Vocabulary":
        known_names = frozenset(names) - {"I"}  # always the identity
        spelled = {}
        for name in sorted(known_names):
            base, *below = name.split("_")
            spelled[base, tuple(sorted(below))] = name
        joined = {
            name.replace("_", ""): name
            for name in sorted(known_names)
            if "_" in name and not known_names.issuperset(name.split("_"))
        }
        return cls(known_names, spelled, joined)

    def find(self, base: str, below: Iterable[str]) -> str | None:
        """Return the known name with this base and these subscripts, in any order."""
        return self.spelled.get((base, tuple(sorted(below))))

    def extends(self, base: str, below: Iterable[str]) -> bool:
        """Return whether a known name has this base and at least these subscripts."""
        subscripts = set(below)
        return any(first == base and subscripts <= set(rest) for first, rest in self.spelled)

    def numbered(self, base: str, digits: str) -> bool:
        """Return whether digits after a base are a subscript, as in `x1`, not a product."""
        below = self.extends(base, ()) and base not in self.names
        return below or self.find(base, [digits]) is not None

    def indexed(self, base: str) -> str | None:
        """Return the known name for the members of a family: `a_i` for `a`."""
        members = [rest[0] for first, rest in self.spelled if first == base and len(rest) == 1]
        letters = [member for member in members if member in INDICES]
        return f"{base}_{letters[0]}" if letters else None

    def is_function(self, word: str) -> bool:
        return word in FUNCTIONS and word not in self.names

    def pieces(self, run: str, *, tail: bool, power: bool) -> tuple[str, ...]:
        """Split a run of letters into as few and as well-known names as possible.

        `tail` means that a subscript follows the last piece, `power` that a `^` does.
        """
        best: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        for end in range(1, len(run) + 1):
            options = [(UNKNOWN_WORD if end == len(run) else 10**6, (0,))]
            for start in range(max(0, end - LONGEST_PIECE), end):
                last = end == len(run)
                price = self.price(run[start:end], tail=tail and last, power=power and last)
                if price == UNKNOWN_LETTER and not (start == 0 or last):
                    price = 10**6
                options.append((best[start][0] + price, (start,)))
            best.append(min(options))
        return tuple(cut(run, best))

    def price(self, piece: str, *, tail: bool, power: bool) -> int:
        """Return how unlikely it is that this is a piece on its own."""
        if self.extends(piece, ()) if tail else piece in self.names or piece in self.joined:
            return 1
        if self.is_function(piece) or piece == "pi" or piece == "I":
            return 2
        if (piece == "e" and power) or piece in GREEK_NAMES:
            return 3
        if len(piece) == 1:
            return UNKNOWN_LETTER
        return 10**6


def cut(run: str, best: list[tuple[int, tuple[int, ...]]]) -> Iterator[str]:
    starts = []
    end = len(run)
    while end:
        starts.append(end)
        (end,) = best[end][1]
    yield from (run[a:b] for a, b in zip([0, *starts[::-1]], starts[::-1], strict=False))
