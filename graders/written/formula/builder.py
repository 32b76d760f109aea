"""Turn lark's parse into the formula's own nodes, and limit their number."""

from functools import reduce
from typing import Any, Literal, cast

from lark import Token
from lark.visitors import Transformer_NonRecursive

from graders.written.formula.errors import FormulaError
from graders.written.formula.reading.subscripts import MEMBERS
from graders.written.formula.tree import (
    Call,
    Constant,
    Name,
    Node,
    Number,
    Total,
    substituted,
    walk,
)
from graders.written.formula.vocabulary import INDICES, Vocabulary

MOST_NODES = 200
HIGHEST = 16  # a numeric exponent
HIGHEST_OF_NUMBER = 999  # a numeric exponent on a number, as in 10^20
ARGUMENTS = {
    **dict.fromkeys(("outer", "dot", "matmul", "pow"), (2, 2)),
    **dict.fromkeys(("min", "max"), (1, 8)),
}
SIGNS = {"PLUS": "+", "MINUS": "-", "TIMES": "*", "DOT": "·", "OUTER": "⊗", "OVER": "/"}


def start_of(node: Node) -> int:
    """Return where the base of an exponent or a transpose begins."""
    while isinstance(node, Call) and node.function in ("^", "⊤"):
        node = node.arguments[0]
    return node.at


class Builder(Transformer_NonRecursive[Token, Node]):
    """One method for each rule of grammar.lark."""

    def __init__(self, words: Vocabulary) -> None:
        super().__init__()
        self.words = words
        self.count = 0

    def new(self, node: Node) -> Node:
        """Count a node. Raises FormulaError if there are too many."""
        self.count += 1
        if self.count > MOST_NODES:
            raise FormulaError(f"The formula has more than {MOST_NODES} parts.", node.at)
        return node

    def start(self, children: list[Any]) -> Node:
        return cast(Node, children[0])

    def number(self, children: list[Any]) -> Node:
        return self.new(Number(str(children[0]), children[0].start_pos))

    def constant(self, children: list[Any]) -> Node:
        name = cast(Literal["e", "pi", "I"], str(children[0]))
        return self.new(Constant(name, children[0].start_pos))

    def name(self, children: list[Any]) -> Node:
        return self.new(Name(str(children[0]), children[0].start_pos))

    def bracketed(self, children: list[Any]) -> Node:
        return cast(Node, children[1])

    def positive(self, children: list[Any]) -> Node:
        return cast(Node, children[1])

    def negative(self, children: list[Any]) -> Node:
        match children[1]:
            case Call("neg", (of,)):
                return of
        return self.new(Call("neg", (children[1],), children[0].start_pos))

    def operation(self, children: list[Any]) -> Node:
        left, sign, right = children
        return self.new(Call(SIGNS[sign.type], (left, right), sign.start_pos))

    def side_by_side(self, children: list[Any]) -> Node:
        left, right = children
        if isinstance(right, Name) and right.name == "T" and "T" not in self.words.names:
            raise FormulaError("A transpose is written with a `^`: A^T.", right.at)
        return self.new(Call("", (left, right), start_of(right)))

    def fraction(self, children: list[Any]) -> Node:
        return self.new(Call("/", (children[2], children[5]), children[0].start_pos))

    def raised(self, children: list[Any]) -> Node:
        base, sign, exponent = children
        highest = HIGHEST_OF_NUMBER if isinstance(base, Number) else HIGHEST
        match exponent:
            case (Number() as number) | Call("neg", (Number() as number,)):
                if float(number.text) > highest:
                    raise FormulaError(f"An exponent is at most {highest} here.", number.at)
        return self.new(Call("^", (base, exponent), sign.start_pos))

    def transposed(self, children: list[Any]) -> Node:
        match children[0]:
            case Call("⊤", (of,)) if "T" not in self.words.names:
                return of
        return self.new(Call("⊤", (children[0],), children[1].start_pos))

    def transposed_raised(self, children: list[Any]) -> Node:
        return self.raised([self.transposed(children[:2]), children[2], children[3]])

    def pseudo_inverse(self, children: list[Any]) -> Node:
        return self.new(Call("pinv", (children[0],), children[1].start_pos))

    def absolute(self, children: list[Any]) -> Node:
        return self.new(Call("norm", (children[1],), children[0].start_pos))

    def inner(self, children: list[Any]) -> Node:
        return self.new(Call("dot", (children[1], children[3]), children[0].start_pos))

    def arguments(self, children: list[Any]) -> Node:
        return cast(
            Node, tuple(argument for argument in children if not isinstance(argument, Token))
        )

    def call(self, children: list[Any]) -> Node:
        function, arguments = str(children[0]), children[-2]
        if function == "transpose":
            return self.new(Call("⊤", (arguments[0],), children[0].start_pos))
        least, most = ARGUMENTS.get(function, (1, 1))
        if not least <= len(arguments) <= most:
            raise FormulaError(
                f"`{function}` does not take {len(arguments)} arguments.", arguments[-1].at
            )
        if function == "pow":
            return self.raised([arguments[0], children[0], arguments[1]])
        return self.new(Call(function, arguments, children[0].start_pos))

    def call_raised(self, children: list[Any]) -> Node:
        return self.raised([self.call([children[0], *children[3:]]), children[1], children[2]])

    def total(self, children: list[Any]) -> Node:
        index, _, members = str(children[0]).partition(MEMBERS)
        at = children[0].start_pos
        if index in ("sum", "∑"):
            index = self.only_index(children[2], at)
        if members:
            terms = [self.term(children[2], index, member, at) for member in members.split(",")]
            return reduce(lambda left, right: self.new(Call("+", (left, right), at)), terms)
        return self.new(Total(index, None, None, children[2], at))

    def term(self, body: Node, index: str, member: str, at: int) -> Node:
        """Return the term of a sum for one of its members: `k_a` from `k_i`."""
        names = {node.name for node in walk(body) if isinstance(node, Name)}
        below = {name for name in names if name.partition("_")[2] == index}
        replacements: dict[str, Node] = {}
        for indexed in below:
            name = f"{indexed.partition('_')[0]}_{member}"
            if name not in self.words.names:
                raise FormulaError(f"The name `{name[:40]}` is unknown here.", at)
            replacements[indexed] = Name(name, at)
        if not replacements:
            raise FormulaError("Nothing in this sum uses its index.", at)
        self.count += sum(1 for _ in walk(body))
        return self.new(substituted(body, replacements))

    def bounded_total(self, children: list[Any]) -> Node:
        at = children[0].start_pos
        index = str(children[0]) or self.only_index(children[7], at)
        return self.new(Total(index, children[2], children[4], children[7], at))

    def only_index(self, body: Node, at: int) -> str:
        names = (node.name for node in walk(body) if isinstance(node, Name))
        below = {name.partition("_")[2] for name in names if name in self.words.names}
        letters = {letter for letter in below if letter in INDICES}
        if len(letters) != 1:
            raise FormulaError("State what the sum runs over, as in sum_i a_i.", at)
        return letters.pop()
