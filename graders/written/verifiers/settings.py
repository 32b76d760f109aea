"""Read an assignment's settings for a question; staff get a clear error if they are invalid."""

from collections.abc import Mapping
from typing import Any

from graders.errors import UsageError
from graders.written.question import Machine


def of_part(machine: Machine, name: str, part: str, default: Any = None) -> Any:
    """Return a setting, which may be one value for all parts or a table with one value per part."""
    value = machine.settings.get(name, default)
    if isinstance(value, Mapping) and (part in value or set(value) <= set(machine.parts)):
        value = value.get(part, default)
    if value is None:
        raise missing(machine, name)
    return value


def required(machine: Machine, name: str) -> Any:
    if name not in machine.settings:
        raise missing(machine, name)
    return machine.settings[name]


def share(machine: Machine, name: str, default: float) -> float:
    """Return a setting that is a fraction of the points, from 0 to 1."""
    value = machine.settings.get(name, default)
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError(
            f"`{name}` of `{machine.verify}` is {value!r}", "write a number from 0 to 1"
        )
    return float(value)


def texts(value: Any) -> tuple[str, ...]:
    """Return one text or a list of texts as texts."""
    return (value,) if isinstance(value, str) else tuple(map(str, value))


def missing(machine: Machine, name: str) -> UsageError:
    return UsageError(
        f"a question with parts {', '.join(machine.parts)} has no setting `{name}`",
        f"`{machine.verify}` needs `{name}` under [question.machine.with]",
    )
