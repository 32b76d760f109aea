r"""Add the brackets that people leave out, so that the grammar needs no exceptions.

The ends of `log n`, `√h`, `|x|`, `\frac{a}{b}` and `sum_i a_i b` are defined only by convention.
"""

from dataclasses import replace

from graders.written.formula.errors import FormulaError
from graders.written.formula.reading.scanner import CLOSING, DEEPEST, OPENING, Piece

LEFT = frozenset(("LPAR", "LBAR", "LNORM", "LANGLE"))
RIGHT = frozenset(("RPAR", "RBAR", "RNORM", "RANGLE"))
OPERAND_ENDS = RIGHT | {"NUMBER", "NAME", "CONSTANT", "EYE", "TRANSPOSE", "PINV"}
OPERATORS = frozenset(("TIMES", "DOT", "OVER", "POWER", "OUTER"))
SIMPLE = frozenset(("NUMBER", "NAME", "CONSTANT", "EYE"))
STOPS = frozenset(("PLUS", "MINUS", "COMMA", "EQUALS")) | RIGHT
TOO_DEEP = f"More than {DEEPEST} brackets are nested."


def arranged(pieces: list[Piece], end: int) -> list[Piece]:
    """Return the pieces with all brackets added. Raises FormulaError if brackets do not match."""
    pieces = with_bars(pieces, end)
    for index in range(len(pieces) - 1, -1, -1):
        kind = pieces[index].kind
        if kind == "FRAC":
            wrap_one(pieces, wrap_one(pieces, index + 1))
        elif kind in ("FUNC", "ROOT"):
            wrap_argument(pieces, index)
        elif kind in ("SUM", "RANGE"):
            wrap_body(pieces, index)
    check_depth(pieces)
    return pieces


def with_bars(pieces: list[Piece], end: int) -> list[Piece]:
    """Mark each bar as opening or closing. Raises FormulaError for an unmatched bracket."""
    marked_pieces: list[Piece] = []
    open_: list[Piece] = []
    for piece in split_bars(pieces):
        if piece.kind in ("BAR", "NORM"):
            closes = marked_pieces and marked_pieces[-1].kind in OPERAND_ENDS and open_
            side = "R" if closes and open_[-1].kind == piece.kind else "L"
            open_.append(piece) if side == "L" else open_.pop()
            marked_pieces.append(replace(piece, kind=side + piece.kind))
            continue
        if piece.kind == "LPAR":
            open_.append(piece)
        elif piece.kind == "RPAR":
            close(open_, piece)
        marked_pieces.append(angled(piece))
    if open_:
        raise FormulaError(f"This `{open_[-1].value}` is never closed.", open_[-1].at)
    return marked_pieces


def split_bars(pieces: list[Piece]) -> list[Piece]:
    """Split a double bar into two if a single one is open: `|a||b|` contains no norm."""
    split_pieces: list[Piece] = []
    single = False
    for piece in pieces:
        if piece.kind == "NORM" and single:
            bar = replace(piece, kind="BAR", value="|")
            split_pieces += [bar, bar]
            continue
        single ^= piece.kind == "BAR"
        split_pieces.append(piece)
    return split_pieces


def close(open_: list[Piece], piece: Piece) -> None:
    """Remove the open bracket that this piece closes."""
    if not open_:
        raise FormulaError(f"This `{piece.value}` has no opening bracket.", piece.at)
    opened = open_.pop()
    if opened.kind != "LPAR" or OPENING[opened.value] != piece.value:
        raise FormulaError(f"This `{piece.value}` does not match `{opened.value}`.", piece.at)


def angled(piece: Piece) -> Piece:
    """Return an angle bracket as a piece of its own kind."""
    if piece.value in "⟨⟩" and piece.kind in ("LPAR", "RPAR"):
        return replace(piece, kind="LANGLE" if piece.value in CLOSING.values() else "RANGLE")
    return piece


def wrap(pieces: list[Piece], start: int, end: int) -> None:
    """Insert brackets around some pieces. Raises FormulaError if there are none."""
    if start >= end:
        where = pieces[start - 1]
        raise FormulaError(f"Something is missing after `{where.value}`.", where.at)
    pieces.insert(end, replace(pieces[end - 1], kind="RPAR", value=")"))
    pieces.insert(start, replace(pieces[start], kind="LPAR", value="("))


def wrap_one(pieces: list[Piece], start: int) -> int:
    """Insert brackets around one piece unless it has some; return where it then ends."""
    if start >= len(pieces) or pieces[start].kind not in LEFT:
        wrap(pieces, start, atom_end(pieces, start))
    return atom_end(pieces, start)


def wrap_argument(pieces: list[Piece], index: int) -> None:
    """Insert brackets around a function's argument: `log 2n` but `log n (a + b)`."""
    start = index + 1
    if at(pieces, start) == "POWER":
        start = exponent_end(pieces, start + 1)
    is_root = pieces[index].kind == "ROOT"
    pieces[index] = replace(pieces[index], kind="FUNC")
    if at(pieces, start) == "LPAR":
        return
    if pieces[index].value in ("min", "max", "outer", "dot", "matmul", "pow"):
        raise FormulaError(f"`{pieces[index].value}` needs brackets.", pieces[index].at)
    end = start + (at(pieces, start) in ("MINUS", "PLUS") and not is_root)
    end = atom_end(pieces, end) if is_root else power_end(pieces, end)
    while not is_root and at(pieces, end) in SIMPLE and touches(pieces, end):
        end = power_end(pieces, end)
    wrap(pieces, start, end)


def wrap_body(pieces: list[Piece], index: int) -> None:
    """Insert brackets around the body of a sum: the product that follows it."""
    is_range = pieces[index].kind == "RANGE"
    start = atom_end(pieces, index + 1) if is_range else index + 1
    if pieces[index].value == "sum" and at(pieces, start) == "LPAR":
        return
    end = start
    while end < len(pieces):
        if pieces[end].kind in STOPS and not is_sign(pieces, start, end):
            break
        end = atom_end(pieces, end) if pieces[end].kind in LEFT else end + 1
    wrap(pieces, start, end)


def is_sign(pieces: list[Piece], start: int, index: int) -> bool:
    """Return whether a plus or minus is the sign of what follows."""
    before = index == start or pieces[index - 1].kind in OPERATORS | {"PLUS", "MINUS"}
    return before and pieces[index].kind in ("PLUS", "MINUS")


def at(pieces: list[Piece], index: int) -> str:
    """Return the kind of a piece, or "" after the last."""
    return pieces[index].kind if index < len(pieces) else ""


def touches(pieces: list[Piece], index: int) -> bool:
    """Return whether a piece directly follows the previous one, without a space."""
    return pieces[index - 1].end == pieces[index].start


def atom_end(pieces: list[Piece], index: int) -> int:
    """Return where a name, a number, a bracket or a function with its brackets ends."""
    kind = at(pieces, index)
    if kind in LEFT:
        return bracket_end(pieces, index)
    if kind == "FUNC" and at(pieces, index + 1) == "POWER":
        return bracket_end(pieces, exponent_end(pieces, index + 2))
    groups = {"FUNC": 1, "SUM": 1, "RANGE": 2, "FRAC": 2}.get(kind, 0)
    end = index + (bool(groups) or kind in SIMPLE)
    for _ in range(groups):
        end = bracket_end(pieces, end)
    return end


def bracket_end(pieces: list[Piece], index: int) -> int:
    depth = 0
    for end in range(index, len(pieces)):
        depth += (pieces[end].kind in LEFT) - (pieces[end].kind in RIGHT)
        if depth <= 0:
            return end + 1
    return len(pieces)


def power_end(pieces: list[Piece], index: int) -> int:
    """Return where an atom ends, including its exponent and transposes."""
    end = atom_end(pieces, index)
    while end > index and at(pieces, end) in ("POWER", "TRANSPOSE", "PINV"):
        end = exponent_end(pieces, end + 1) if at(pieces, end) == "POWER" else end + 1
    return end


def exponent_end(pieces: list[Piece], index: int) -> int:
    while at(pieces, index) == "MINUS":
        index += 1
    return atom_end(pieces, index)


def check_depth(pieces: list[Piece]) -> None:
    depth = 0
    for piece in pieces:
        depth += (piece.kind in LEFT) - (piece.kind in RIGHT)
        if depth > DEEPEST:
            raise FormulaError(TOO_DEEP, piece.at)
