"""Compare numbers, vectors and matrices with a key, within a tolerance."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from graders.written.judgement import Asked, Judgement, Misfit, Unreadable
from graders.written.question import Machine
from graders.written.values.array import read_array
from graders.written.values.number import read_number, read_numbers
from graders.written.verifiers.parts import judge_parts
from graders.written.verifiers.settings import of_part
from graders.written.verifiers.values.arrays import arrays_in
from graders.written.verifiers.values.found import agreed

Array = NDArray[np.float64]
Reader = Callable[[str], Array]


def number(asked: Asked) -> Judgement:
    """Grade a number.

    Settings: `key`, `tolerance` (absolute, default 1e-9), `percent` (the key is in percent; 0.948
    and 94.8% are equal).
    """
    return judge_parts(asked, _number)


def _number(asked: Asked, part: str) -> Judgement:
    percent = bool(asked.machine.settings.get("percent", False))
    key = np.asarray(of_part(asked.machine, "key", part), dtype=np.float64)
    given = [np.array(each) for each in read_numbers(asked.parts[part], percent=percent)]
    meant = next((each for each in given if _near(asked.machine, each, key)), given[0])
    return _against_key(
        asked, part, meant, lambda text: np.array(read_number(text, percent=percent))
    )


def vector(asked: Asked) -> Judgement:
    """Grade a vector. Settings: `key` (a list), `tolerance`."""
    return judge_parts(asked, _array)


def matrix(asked: Asked) -> Judgement:
    """Grade a matrix. Settings: `key` (a list of rows), `tolerance`."""
    return judge_parts(asked, _array)


def _array(asked: Asked, part: str) -> Judgement:
    shape = np.shape(of_part(asked.machine, "key", part))
    found = arrays_in(asked.parts[part], [shape])
    return agreed(
        found,
        lambda given: _against_key(asked, part, given, lambda text: read_array(text, [shape])),
    )


def _against_key(asked: Asked, part: str, given: Array, read: Reader) -> Judgement:
    machine = asked.machine
    key = np.asarray(of_part(machine, "key", part), dtype=np.float64)
    if _near(machine, given, key):
        return Judgement(1.0, actual=shown(given))
    for mistake in machine.mistakes:
        if mistake.part == part and _near(machine, given, _mistaken(read, mistake.answer)):
            return Judgement(
                mistake.fraction, "This is not correct.", mistake.hint, actual=shown(given)
            )
    right = int(np.sum(np.abs(given - key) <= _tolerance(machine)))
    some = f"{right} of {key.size} numbers are correct." if key.size > 1 else "This is not correct."
    return Judgement(0.0, some, actual=shown(given))


def _mistaken(read: Reader, answer: str) -> Array:
    """Return the value of a mistake; one with another shape equals nothing."""
    try:
        return read(answer)
    except (Misfit, Unreadable):
        return np.array(np.nan)


def _near(machine: Machine, given: Array, wanted: Array) -> bool:
    return bool(np.all(np.abs(given - wanted) <= _tolerance(machine)))


def _tolerance(machine: Machine) -> float:
    return float(machine.settings.get("tolerance", 1e-9))


def shown(array: Array) -> str:
    """Return an array on one line with at most four decimals."""
    rounded = np.round(array, 4) + 0.0
    return np.array2string(rounded, separator=", ", threshold=40, suppress_small=True).replace(
        "\n", ""
    )
