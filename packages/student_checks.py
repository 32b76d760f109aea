"""Which functions of an assignment's check files hold visible checks, as pytest collects them."""

from collections.abc import Iterable, Mapping, Sequence

from graders.check_files import collected
from graders.errors import Misuse
from graders.model import Assignment, Check

Functions = Mapping[tuple[str, str], Sequence[Check]]
ANEW = "rerun"  # the fixture of checks that train again, which no student's check runs


def check_functions(assignment: Assignment) -> Functions:
    """The checks of every function with some, by module and name, those of reruns left out.

    Misuse where one that students see builds on one that they do not: its id would tell of it.
    """
    functions: dict[tuple[str, str], list[Check]] = {}
    for each in collected(assignment):
        if ANEW not in each.fixtures:
            functions.setdefault((each.path.stem, each.function), []).append(each.check)
    shown = {each.id for each in assignment.rubric if each.visibility == "visible"}
    checks = [check for found in functions.values() for check in found]
    unseen = {check.id for check in checks if check.criterion not in shown}
    for check in checks:
        if check.criterion in shown and not unseen.isdisjoint(check.depends_on):
            raise Misuse(
                f"{assignment.folder}: the check `{check.id}`, which students see, builds on one "
                "that they do not",
                "let it build on a visible one",
            )
    return functions


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
                "make two functions, or two classes, of it",
            )
        if criteria & shown:
            kept.setdefault(module, set()).add(name)
    return kept
