"""Read a pytest function as a check: its name, docstring and `criterion` mark.

`{name}` in a docstring is replaced by that setting of assignment.toml.

The mark of a parametrized check may give its own `id` and `description`.
"""

import re
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path

import pytest

from graders.errors import UsageError, did_you_mean
from graders.model import Assignment, Check, Setting

FIXTURES = (  # plugin.py has them
    "student", "sandbox", "submitted", "data", "settings", "inputs", "score",
    "fingerprints", "rerun",
)  # fmt: skip
KEYWORDS = ("weight", "depends_on", "id", "description")
IDS = "the id of `def test_norm_kept` is `norm-kept`"


def check_of(item: pytest.Item, assignment: Assignment) -> Check:
    """Return the check of a pytest item; raises UsageError if its mark or docstring is wrong."""
    file = Path(str(item.path)).name
    mark = item.get_closest_marker("criterion")
    if mark is None or len(mark.args) != 1:
        raise UsageError(
            f"{file}: `{item.name}` has no criterion",
            'put @pytest.mark.criterion("ID") on it',
        )
    ids = [criterion.id for criterion in assignment.rubric]
    if mark.args[0] not in ids:
        names = ", ".join(f"`{name}`" for name in ids)
        raise UsageError(
            f"{file}: criterion `{mark.args[0]}` of `{item.name}` is not in the rubric",
            f"the rubric of {assignment.name} has {names}",
        )
    _refuse_wrong_mark(mark, f"{file}: `{item.name}`")
    description = mark.kwargs.get("description") or _docstring(item)
    if not description:
        raise UsageError(
            f"{file}: `{item.name}` has no docstring",
            "its first line is the sentence the student reads",
        )
    return Check(
        id=mark.kwargs.get("id") or _id(item.name),
        description=_filled(" ".join(description.split("\n\n")[0].split()), assignment.settings),
        criterion=mark.args[0],
        weight=float(mark.kwargs.get("weight", 1.0)),
        depends_on=tuple(mark.kwargs.get("depends_on", ())),
    )


def refuse_wrong_ids(checks: Sequence[Check]) -> None:
    """Raise UsageError if an id is not unique, or a check depends on one that does not exist."""
    ids: set[str] = set()
    for check in checks:
        if check.id in ids:
            raise UsageError(f"two checks have the id `{check.id}`", f"rename one: {IDS}")
        ids.add(check.id)
    for check in checks:
        for name in check.depends_on:
            if name not in ids:
                near = did_you_mean(name, ids)
                raise UsageError(
                    f"`{check.id}` depends on `{name}`, which is not a check{near}", IDS
                )


def refuse_wrong_order(checks: Sequence[Check]) -> None:
    """Raise UsageError if a check runs before one that it depends on: it would not be skipped."""
    above: set[str] = set()
    for check in checks:
        for name in check.depends_on:
            if name not in above:
                raise UsageError(
                    f"`{check.id}` depends on `{name}`, which is not above it",
                    f"put `{name}` first: checks run in the order of the files",
                )
        above.add(check.id)


def refuse_unknown_fixtures(item: pytest.Item) -> None:
    """Raise UsageError if a check asks for a fixture that does not exist."""
    if isinstance(item, pytest.Function):
        fixtures = {*item._fixtureinfo.name2fixturedefs, "request"}
        for name in item.fixturenames:
            if name not in fixtures:
                raise UsageError(
                    f"{Path(item.path).name}: `{item.name}` asks for `{name}`, which is no "
                    f"fixture{did_you_mean(name, FIXTURES)}",
                    "docs/assignments.md lists the fixtures",
                )


def _refuse_wrong_mark(mark: pytest.Mark, where: str) -> None:
    for name in mark.kwargs:
        if name not in KEYWORDS:
            raise UsageError(f"{where}: a criterion has no `{name}`{did_you_mean(name, KEYWORDS)}")
    weight = mark.kwargs.get("weight", 1.0)
    if not isinstance(weight, int | float) or not 0 <= weight < inf:
        raise UsageError(
            f"{where}: weight is {weight!r}; it must be a number, and not negative",
            "a check of weight 0 earns nothing; others may depend on it",
        )
    if isinstance(mark.kwargs.get("depends_on"), str):
        raise UsageError(
            f"{where}: depends_on is a string; it must be a tuple",
            f'write depends_on=("{mark.kwargs["depends_on"]}",)',
        )


def _docstring(item: pytest.Item) -> str:
    return (getattr(getattr(item, "function", None), "__doc__", None) or "").strip()


def _filled(description: str, settings: Mapping[str, Setting]) -> str:
    """Return the description with the assignment's own numbers; other braces stay."""
    return re.sub(r"\{(\w+)\}", lambda match: str(settings.get(match[1], match[0])), description)


def _id(name: str) -> str:
    """Return the check's ID: `norm-kept-2` for `test_norm_kept[2]`."""
    plain = name.removeprefix("test_").replace("[", "-").replace("]", "")
    return plain.replace("_", "-")
