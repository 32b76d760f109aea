"""Which functions of an assignment's check files hold visible checks, as pytest collects them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from graders.checks.collected import check_of
from graders.checks.run import run_checks
from graders.errors import Misuse
from graders.model import Assignment, Check

Functions = Mapping[tuple[str, str], Sequence[Check]]
ANEW = "rerun"  # the fixture of checks that train again, which no student's check runs


@dataclass(slots=True)
class _Collector:
    """Keeps the checks of each function, by its file's name, and lets none of it run."""

    assignment: Assignment
    found: dict[tuple[str, str], list[Check]] = field(default_factory=dict)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if ANEW not in getattr(item, "fixturenames", ()):
                name = item.nodeid.split("::")[1].split("[")[0]
                place = Path(str(item.path)).stem, name
                self.found.setdefault(place, []).append(check_of(item, self.assignment))
        items.clear()


def check_functions(assignment: Assignment) -> Functions:
    """The checks of every function with some, by module and name, those of reruns left out.

    Misuse where one that students see builds on one that they do not: its id would tell of it.
    """
    collector = _Collector(assignment)
    run_checks(assignment.folder, collector, collect_only=True)
    shown = {each.id for each in assignment.rubric if each.visibility == "visible"}
    checks = [check for found in collector.found.values() for check in found]
    unseen = {check.id for check in checks if check.criterion not in shown}
    for check in checks:
        if check.criterion in shown and not unseen.isdisjoint(check.depends_on):
            raise Misuse(
                f"{assignment.folder}: the check `{check.id}`, which students see, builds on one "
                "that they do not",
                "let it build on a visible one",
            )
    return collector.found


def functions_for(
    functions: Functions, shown: Iterable[str], written: Iterable[str]
) -> dict[str, set[str]]:
    """The names, by module, of the functions whose criteria are shown.

    Misuse where one function has checks of both kinds: nobody can take it apart. The written
    questions are one function; which of them it asks is said by its file of questions.
    """
    kept: dict[str, set[str]] = {}
    shown, asked = frozenset(shown), frozenset(written)
    for (module, name), checks in functions.items():
        criteria = {check.criterion for check in checks}
        if criteria & shown and criteria - shown - asked:
            other = min(criteria - shown - asked)
            raise Misuse(
                f"{module}.py: `{name}` has checks of `{other}`, which students do not see, and "
                f"of `{min(criteria & shown)}`",
                "make two functions of it",
            )
        if criteria & shown:
            kept.setdefault(module, set()).add(name)
    return kept
