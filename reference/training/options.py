"""Parse options of a command that contain several names."""

from collections.abc import Sequence
from typing import TypeVar

from graders.errors import UsageError

Name = TypeVar("Name", bound=str)


def named(option: str, text: str, known: Sequence[Name]) -> tuple[Name, ...]:
    """Return the names in a text such as `full,head`, in the order of `known`, each once.

    Raises UsageError if there are none, or unknown ones.
    """
    asked = {part.strip() for part in text.split(",") if part.strip()}
    if not asked or asked - set(known):
        wrong = ", ".join(sorted(asked - set(known))) or text
        names = [f"`{name}`" for name in known]
        hint = f"there is {', '.join(names[:-1])} and {names[-1]}"
        raise UsageError(f"{option}: there is no `{wrong}`", hint)
    return tuple(name for name in known if name in asked)
