"""Read a pytest function as a check: its name, docstring and `criterion` mark.

The mark of a parametrized check may set `id` and `description`.
"""

from pathlib import Path

import pytest

from graders.errors import UsageError
from graders.model import Assignment, Check


def check_of(item: pytest.Item, assignment: Assignment) -> Check:
    """Return the check of a pytest item; raises UsageError if its mark or docstring is wrong."""
    file = Path(str(item.path)).name
    mark = item.get_closest_marker("criterion")
    if mark is None or len(mark.args) != 1:
        raise UsageError(
            f"{file}: `{item.name}` has no criterion",
            'put @pytest.mark.criterion("ID") on it',
        )
    known = [criterion.id for criterion in assignment.rubric]
    if mark.args[0] not in known:
        names = ", ".join(f"`{name}`" for name in known)
        raise UsageError(
            f"{file}: criterion `{mark.args[0]}` of `{item.name}` is not in the rubric",
            f"the rubric of {assignment.name} has {names}",
        )
    description = mark.kwargs.get("description") or _docstring(item)
    if not description:
        raise UsageError(
            f"{file}: `{item.name}` has no docstring",
            "its first line is the sentence the student reads",
        )
    return Check(
        id=mark.kwargs.get("id") or _id(item.name),
        description=" ".join(description.split("\n\n")[0].split()),
        criterion=mark.args[0],
        weight=float(mark.kwargs.get("weight", 1.0)),
        depends_on=tuple(mark.kwargs.get("depends_on", ())),
    )


def _docstring(item: pytest.Item) -> str:
    return (getattr(getattr(item, "function", None), "__doc__", None) or "").strip()


def _id(name: str) -> str:
    """Return the check's ID: `norm-kept-2` for `test_norm_kept[2]`."""
    plain = name.removeprefix("test_").replace("[", "-").replace("]", "")
    return plain.replace("_", "-")
