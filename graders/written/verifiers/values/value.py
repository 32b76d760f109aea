"""Compare numbers, vectors and matrices with a key, also those found among words."""

import re
from collections.abc import Callable, Sequence

import numpy as np

from graders.written.question import Asked, Judgement, Machine, Misfit, Unreadable
from graders.written.values.array import LONGEST, Array, read_array
from graders.written.values.number import read_number, read_numbers
from graders.written.values.words import denies, narrow
from graders.written.verifiers.parts import judge_parts
from graders.written.verifiers.settings import of_part
from graders.written.verifiers.values.found import FEW_WORDS, MOST, Candidates, judge_found

_ENVIRONMENT = r"(?:[pbvBV]?matrix|array|smallmatrix)\*?"
# A list of numbers in brackets, of lists, or in LaTeX; a factor after a sign belongs to it.
_LIST = re.compile(
    rf"(?:-?\d[\d.,]{{0,20}}\s?(?:\*|·|×|\\cdot|\\times)\s?)?(?:"
    rf"\\begin\{{{_ENVIRONMENT}\}}.{{1,600}}?\\end\{{{_ENVIRONMENT}\}}"
    r"|[\[(⟨]\s{0,9}(?:[\[(][^\[\]()A-Za-z]{1,200}[\])][\s,;]{0,9}){1,12}[\])]"
    r"|[\[(⟨][^\[\]()⟨⟩A-Za-z=]{3,300}[\])⟩])"
    r"(?:\s?/\s?\d[\d.]{0,20})?",
    re.DOTALL,
)
_WORD = re.compile(r"(?<![\\\w{.])[^\W\d_]{2,}")  # `because`
_RATIO = re.compile(r"\s*(\d{1,12})\s*/\s*\d{1,12}\s*")  # `6920/9613`: so many of all
_NOTATION = frozenset({
    "np", "numpy", "torch", "jnp", "array", "tensor", "matrix", "asarray", "zeros", "dtype",
    "device", "cpu", "cuda", "grad_fn", "requires_grad", "and", "und", "et", "sqrt", "exp", "ln",
    "log", "pi", "lcr", "cc", "ccc", "cccc", "rrr",
})  # fmt: skip


def arrays_in(text: str, shapes: Sequence[tuple[int, ...]]) -> Candidates[Array]:
    """Return the arrays with one of the shapes. Raises Unreadable or Misfit if there is none."""
    short = narrow(text[:LONGEST])
    words, arrays = _words(short), _listed(short, shapes)
    fault = Unreadable("No vector was found; write it in brackets, such as `[1, 2.5, -3]`.")
    try:
        value = read_array(text, shapes)
        if not words and len(arrays) < 2:
            return Candidates((value,), (text,))
        # `S k_0 with S = 1,000,000` contains no vector, although there are numbers after the `=`.
        if "=" not in text or not value.any():
            arrays = arrays or {text: value}
    except Unreadable as error:
        fault = error
    if not arrays:
        raise fault
    shown = tuple(" ".join(source.split()) for source in arrays)
    rest = _LIST.sub(" ", short)
    sure = len(_words(rest)) <= FEW_WORDS
    return Candidates(tuple(arrays.values()), shown, plain=False, denied=denies(rest), sure=sure)


def without_arrays(text: str) -> str:
    """Return the text with a semicolon instead of each list of numbers."""
    return _LIST.sub(" ; ", narrow(text[:LONGEST]))


def _words(text: str) -> list[str]:
    """Return the words of any language in a text, without those used in notation."""
    return [word for word in _WORD.findall(text) if word.casefold() not in _NOTATION]


def _listed(text: str, shapes: Sequence[tuple[int, ...]]) -> dict[str, Array]:
    """Return the arrays in brackets by their text, each value once."""
    arrays: dict[str, Array] = {}
    for match in _LIST.finditer(text):
        try:
            value = read_array(match[0], shapes)
        except (Misfit, Unreadable):
            continue
        if not any((value == other).all() for other in arrays.values()):
            arrays[match[0]] = value
        if len(arrays) > MOST:
            break
    return arrays


Reader = Callable[[str], Array]


def number(answer: Asked) -> Judgement:
    """Grade a number.

    Settings: `key`, `tolerance` (absolute, default 1e-9), `percent` (the key is in percent; 0.948
    and 94.8% are equal).
    """
    return judge_parts(answer, _number)


def _number(answer: Asked, part: str) -> Judgement:
    percent = bool(answer.machine.settings.get("percent", False))
    key = np.asarray(of_part(answer.machine, "key", part), dtype=np.float64)
    numbers = [np.array(value) for value in read_numbers(answer.parts[part], percent=percent)]
    meant = next((value for value in numbers if _near(answer.machine, value, key)), numbers[0])
    ratio = _RATIO.fullmatch(answer.parts[part])
    if ratio and not _near(answer.machine, meant, key) and float(ratio[1]) == key:
        raise Unreadable("The answer is a ratio; write only the number.")
    return _against_key(
        answer, part, meant, lambda text: np.array(read_number(text, percent=percent))
    )


def vector(answer: Asked) -> Judgement:
    """Grade a vector. Settings: `key` (a list), `tolerance`."""
    return judge_parts(answer, _array)


def matrix(answer: Asked) -> Judgement:
    """Grade a matrix. Settings: `key` (a list of rows), `tolerance`."""
    return judge_parts(answer, _array)


def _array(answer: Asked, part: str) -> Judgement:
    shape = np.shape(of_part(answer.machine, "key", part))
    arrays = arrays_in(answer.parts[part], [shape])
    return judge_found(
        arrays,
        lambda array: _against_key(answer, part, array, lambda text: read_array(text, [shape])),
    )


def _against_key(answer: Asked, part: str, actual: Array, read: Reader) -> Judgement:
    machine = answer.machine
    key = np.asarray(of_part(machine, "key", part), dtype=np.float64)
    if _near(machine, actual, key):
        return Judgement(1.0, actual=shown(actual))
    for mistake in machine.mistakes:
        if mistake.part == part and _near(machine, actual, _mistaken(read, mistake.answer)):
            return Judgement(
                mistake.fraction, "This is not correct.", mistake.hint, actual=shown(actual)
            )
    right = int(np.sum(np.abs(actual - key) <= _tolerance(machine)))
    some = f"{right} of {key.size} numbers are correct." if key.size > 1 else "This is not correct."
    return Judgement(0.0, some, actual=shown(actual))


def _mistaken(read: Reader, answer: str) -> Array:
    """Return the value of a mistake; one with another shape equals nothing."""
    try:
        return read(answer)
    except (Misfit, Unreadable):
        return np.array(np.nan)


def _near(machine: Machine, actual: Array, expected: Array) -> bool:
    return bool(np.all(np.abs(actual - expected) <= _tolerance(machine)))


def _tolerance(machine: Machine) -> float:
    return float(machine.settings.get("tolerance", 1e-9))


def shown(array: Array) -> str:
    """Return an array on one line with at most four decimals."""
    rounded = np.round(array, 4) + 0.0
    return np.array2string(rounded, separator=", ", threshold=40, suppress_small=True).replace(
        "\n", ""
    )
