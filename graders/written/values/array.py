"""Parse vectors and matrices as people type or print them.

    text -> plain brackets -> factor and body -> rows -> cells

It reads brackets of any kind, commas, semicolons, new lines, the output of numpy and torch, LaTeX
matrices, YAML lists, and a factor before or after: `1/sqrt(2) * [1, 1, 0]`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from graders.written.question import Misfit, Unreadable
from graders.written.values.number import LARGEST, cell
from graders.written.values.words import CLOSE, OPEN, narrow, split_outside

Array = NDArray[np.float64]
LONGEST = 8000  # characters
MOST_CELLS = 400
_ENVIRONMENT = r"(?:[pbvBV]?matrix|array|smallmatrix)\*?"
_PRINTED = r",?\s*\b(?:dtype|device|grad_fn|requires_grad)\s*=\s*(?:<[^<>]*>|'[^']*'|[\w.]+)"
_CALLED = (
    r"(?:(?:np|numpy|torch|jnp)\.)?"
    r"(?:array|tensor|Tensor|FloatTensor|matrix|asarray)(?=\s*\()"
)
_TOP = r"(?:T|\\top|\\intercal|⊤)"
_TRANSPOSE = rf"\^\s*(?:\{{\s*{_TOP}\s*\}}|{_TOP})|⊤|\.T\b|'(?=\s*$)"
_REPLACED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"```[a-zA-Z]*|`|\$+|\\left|\\right|\\displaystyle|\\[,;!:]|\\q?quad\b"), " "),
    (re.compile(r"~|(?<!\\)\\ "), " "),
    (re.compile(r"\\begin\{" + _ENVIRONMENT + r"\}(?:\{[lcr|]*\})?"), " ["),
    (re.compile(r"\\end\{" + _ENVIRONMENT + r"\}"), "] "),
    (re.compile(r"\\\\(?:\[\d+\w+\])?|\\cr\b"), ";"),
    (re.compile(r"\\langle|⟨"), "["),
    (re.compile(r"\\rangle|⟩"), "]"),
    (re.compile(_PRINTED), ""),
    (re.compile(_CALLED), " "),
    (re.compile(_TRANSPOSE), " "),
    (re.compile(r"\\approx|≈"), "="),
    (re.compile(r"[−–]"), "-"),
    (re.compile(r"^\s*<(?=[^<>]*>\s*$)"), "["),
    (re.compile(r"(?<=[\d.\s)])>\s*$"), "]"),
    (re.compile(r"^ *\|[ :|-]*-{3}[ :|-]*\|\n", re.MULTILINE), ""),
    (re.compile(r"^ *\|(.*)\| *$", re.MULTILINE), r"\1"),
    (re.compile(r"(?<=\d)\s*\|\s*(?=[-+.\d])"), " , "),
    (re.compile(r"(?<=\d)\s*,?\s+and\s+(?=[-+.\d])"), ", "),
    (re.compile(r"(?<=[\])}\d])\s*\(\s*[A-Za-z][A-Za-z .]{1,40}\)\s*$"), ""),
    (re.compile(r"\\in\b.*$|∈.*$", re.MULTILINE), " "),
)  # fmt: skip
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+")
# Matches `vector` or `is`.
_SAID = re.compile(r"(?<![\\\w{.])(?!array|tensor|torch|matrix|numpy|np|ln|pi)[^\W\d_]{2,}")
_WORDLESS = re.compile(r"[^A-Za-zα-ωΑ-Ω]*")
_LABEL = re.compile(r"^\s*\\?[A-Za-z][\w^{}'\\ ]{0,30}?\s*:(?=\s*\S)")  # `k: 1`
# Matches `zeros(3)` or `zero vector` or `\vec{0}` or `0`.
_ZEROS = re.compile(
    r"(?:(?:np|numpy|torch)\s*\.\s*)?zeros\s*\(.{0,30}\)|(?:the )?(?:zero|null)[\s-]*vector|"
    r"\\(?:vec|mathbf|bm)\s*\{?\s*0\s*\}?(?:\s*_\s*\{?\d\}?)?|0\s*vector|(?:the )?origin|all zeros|"
    r"(?:der )?nullvektor|(?:el )?vector (?:cero|nulo)|(?:le )?vecteur nul|零向量|vettore nullo|"
    r"[(\[]?0+(?:\.0*)?\u20d7?[)\]]?",
    re.IGNORECASE,
)
# `(3/2/-4)` or `[0]*3` may be a list in another notation; it is not certain that it is one number.
_CALCULATED = re.compile(r"/.*/|[\])]\s*\*")
_SEPARATED = re.compile(r"[,;&\n]")
_BULLET = re.compile(r"^\s*[-*•]\s+", re.MULTILINE)
# Matches `q_0 =` before the numbers of a row.
_ROW_NAME = re.compile(r"^\s*\\?[A-Za-z]\w{0,9}(?:\{\d\})?\s*(?::=|=|:)\s*(?=[\[(])", re.MULTILINE)
_SPACED = re.compile(r"\s*([*/^×·])\s*|(?<=[\w.)])\s+([+-])\s+(?=[\w.(\\])")  # ` * ` or `1 + 2`
_DECIMAL = re.compile(r"(?<![\d.,])(\d+),(\d+)(?![\d.]|,\d)")  # `0,5`
_CALL = re.compile(r"(?:sqrt|frac|exp|ln|log|\\\w+|\})\s*$|[_^]\s*$")  # `sqrt` or `x_`


@dataclass(frozen=True, slots=True)
class _Body:
    """The text inside the brackets, and the factor around them."""

    inside: str
    factor: float


def read_array(text: str, shapes: Sequence[tuple[int, ...]]) -> Array:
    """Return the array in one of the shapes; (3,), (1, 3) and (3, 1) are equal.

    Raises Unreadable, or Misfit if there are clearly more or fewer numbers.
    """
    if len(text) > LONGEST:
        raise Unreadable(f"The answer is longer than {LONGEST} characters: write only the numbers.")
    alone = text.count("=") < 2 and _SAID.search(text) is None
    text = _plain(text)
    if _ZEROS.fullmatch(text.strip()):
        return np.zeros(shapes[0])
    if _THOUSANDS.fullmatch(text):
        raise Unreadable(f"`{text[:40]}` may be one number; write a vector in brackets.")
    errors: list[Exception] = []
    readings = list(_readings(text))
    for reading in readings:
        try:
            array = _shaped(_values(reading), shapes)
        except (Misfit, Unreadable) as error:
            errors.append(error)
            continue
        if not np.all(np.abs(array) <= LARGEST):
            raise Unreadable("A number is too large; write smaller numbers.")
        return array
    plain = alone and len(readings) == 1 and _WORDLESS.fullmatch(text) is not None
    plain &= _CALCULATED.search(text) is None or _SEPARATED.search(text) is not None
    raise errors[0] if plain else Unreadable(str(errors[0]))


def _plain(text: str) -> str:
    """Return the text after the last `=`, with one kind of brackets and separators."""
    text = "\n".join(" ".join(line.split()) for line in narrow(text).splitlines() if line.strip())
    for pattern, put in _REPLACED:
        text = pattern.sub(put, text)
    text = text.strip().strip("*").strip()
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and all(_BULLET.match(line) for line in lines[1:]):  # the first may be gone
        text = _BULLET.sub("", text)
        lines = text.split("\n")
    if len(lines) > 1 and all(_ROW_NAME.match(line) for line in lines):
        text = _ROW_NAME.sub("", text)
    text = _LABEL.sub("", text)
    sides = split_outside(text, "=")
    text = "=".join(sides[-1:] if sides[-1].strip() else sides[-2:])
    return text.strip().rstrip(".;, ")


def _readings(text: str) -> Iterator[str]:
    """Yield the text unchanged, then with decimal points instead of commas."""
    yield text
    if _DECIMAL.search(text):
        yield _DECIMAL.sub(r"\1.\2", text)


def _values(text: str) -> list[list[float]]:
    body = _body(text)
    rows = [_cells(row) for row in _rows(body.inside)]
    rows = [row for row in rows if row]
    if not rows:
        raise Unreadable("No numbers were found; write them like `[1, 2.5, -3]`.")
    if sum(map(len, rows)) > MOST_CELLS:
        raise Unreadable(f"There are more than {MOST_CELLS} numbers here.")
    return [[body.factor * cell(entry) for entry in row] for row in rows]


def _body(text: str) -> _Body:
    """Return the inside of the outer brackets, and the factor before and after them."""
    outer = list(islice(_groups(text), MOST_CELLS + 1))
    if len(outer) > MOST_CELLS:
        raise Unreadable(f"There are more than {MOST_CELLS} brackets here.")
    groups = [group for group in outer if _is_list(text[group[0] + 1 : group[1]])]
    if len(groups) != 1 or re.fullmatch(r"[\s()\[\]{}]*[,;\n][\s,;()\[\]{}]*", _outside(text)):
        return _Body(text, 1.0)
    start, end = groups[0]
    before, after = text[:start].strip().rstrip("*·× "), text[end + 1 :].strip()
    before = re.sub(r"\\(?:cdot|times)\s*$", "", before).strip()
    after = after.strip(" .;,")
    inner = _body(text[start + 1 : end])
    factor = _factor(before, after)
    if inner.factor == 1.0 and inner.inside != text[start + 1 : end]:
        return _Body(inner.inside, factor)
    return _Body(text[start + 1 : end], factor)


def _factor(before: str, after: str) -> float:
    factor = -1.0 if before == "-" else cell(before) if before else 1.0
    if after:
        sign, rest = after[0], after[1:]
        if sign not in "*/·×":
            raise Unreadable(f"`{after[:20]}` after the bracket cannot be read.")
        factor = factor / cell(rest) if sign == "/" and cell(rest) else factor * cell(rest)
    return factor


def _groups(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the outer brackets open and close."""
    depth, start = 0, 0
    for at, sign in enumerate(text):
        if sign in OPEN:
            if depth == 0:
                start = at
            depth += 1
        elif sign in CLOSE:
            depth -= 1
            if depth < 0:
                raise Unreadable("A closing bracket has no opening bracket.")
            if depth == 0:
                yield start, at
    if depth:
        raise Unreadable("A bracket is not closed.")


def _is_list(inside: str) -> bool:
    """Return whether brackets contain several items rather than one expression."""
    outer = _outside(inside)
    return bool(re.search(r"[,;&\n]|[\d.)]\s+[-+]?[\d.(]", outer)) or inside.strip()[:1] in (
        "[",
        "(",
    )


def _outside(text: str) -> str:
    signs, depth = [], 0
    for sign in text:
        depth -= sign in CLOSE
        if depth <= 0:
            signs.append(sign)
        depth += sign in OPEN
    return "".join(signs)


def _rows(inside: str) -> Iterator[str]:
    """Yield the rows of a body: in their own brackets, or separated by semicolons or new lines."""
    groups = list(_groups(inside))
    lists = [
        (start, end)
        for start, end in groups
        if not _CALL.search(inside[max(0, start - 12) : start])
    ]
    outer = _outside(inside)
    if lists and re.fullmatch(r"[\s,;()\[\]{}]*", outer):
        yield from (inside[start + 1 : end] for start, end in lists)
        return
    yield from split_outside(inside, ";\n")


def _cells(row: str) -> list[str]:
    """Return the cells of a row, separated by commas, `&`, or else by spaces."""
    for sign in ("&", ","):
        if sign in _outside(row):
            cells = [entry.strip() for entry in split_outside(row, sign)]
            return cells[:-1] if cells and not cells[-1] else cells
    tight = _SPACED.sub(lambda match: match[1] or match[2], row.strip())
    return [entry for entry in split_outside(tight, " \t") if entry]


def _shaped(rows: list[list[float]], shapes: Sequence[tuple[int, ...]]) -> Array:
    """Return the rows in the first shape that they fit."""
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise Unreadable(f"The rows have {' and '.join(map(str, sorted(widths)))} numbers.")
    array = np.array(rows, dtype=np.float64)
    for shape in shapes:
        if array.shape == shape or (len(shape) == 1 and array.shape in ((1, *shape), (*shape, 1))):
            return array.reshape(shape)
    expected = " or ".join(_shown(shape) for shape in shapes)
    actual = _shown(array.shape if 1 not in array.shape else (array.size,))
    raise Misfit(f"This has {actual}, but {expected} are expected.")


def _shown(shape: tuple[int, ...]) -> str:
    return f"{shape[0]} numbers" if len(shape) == 1 else f"{shape[0]} rows of {shape[1]} numbers"
