"""Read the tests of a suite from its source; none of it runs on the trusted side.

    tests/*.py -> classes -> subclasses of unittest.TestCase -> test methods, also inherited

Code that would create tests while it runs (loops, load_tests, classes from other packages) is
refused, because the maximum score would depend on it.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graders.errors import UsageError
from graders.model import Visibility
from graders.suite.decorators import Method, read_decorators
from graders.suite.model import SuiteTest
from graders.suite.modules import CASES, COUNTED, LONE, Class, Module, full_name, read_module

PLAIN = ("object", "abc.ABC", "ABC")
HARMLESS = ("unittest", "mock", "pytest", "abc")  # their class decorators create no tests
LATER: tuple[Visibility, ...] = ("visible", "after_due_date", "after_published", "hidden")
FAR = (2**31,)  # tests without a number come after those with one


def suite_tests(folder: Path) -> tuple[SuiteTest, ...]:
    """Return the tests of the suite, by number; raises UsageError if they cannot be counted."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", "name the suite's folder in [suite]")
    deeper = [path for path in sorted(folder.rglob("test*.py")) if path.parent != folder]
    if deeper:
        raise UsageError(
            f"{deeper[0]}: tests are in a subfolder of the suite", "move them up one folder"
        )
    suite = _Suite(folder, {path.stem: read_module(path) for path in sorted(folder.glob("*.py"))})
    try:
        tests = [test for name in suite.modules for test in suite.tests(name)]
    except RecursionError:
        raise UsageError(
            f"{folder}: a class inherits from itself", "Python cannot import that"
        ) from None
    if not tests:
        raise UsageError(
            f"{folder} has no tests", "a test is a method `test_*` of a unittest.TestCase"
        )
    ids = [test.id for test in tests]
    twice = next((name for name in ids if ids.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"{folder}: two tests would have the id `{twice}`", "rename one of them")
    suite.refuse_later_imports(tests)
    return tuple(sorted(tests, key=_by_number))


def later_modules(tests: Iterable[SuiteTest], visibility: Visibility) -> frozenset[str]:
    """Return the test modules whose tests are all shown later than this visibility.

    Code that runs with earlier tests must not read them: it could print what it reads, and the
    student would see it in the output of the earlier test.
    """
    earliest: dict[str, int] = {}
    for test in tests:
        when = LATER.index(test.visibility)
        earliest[test.module] = min(when, earliest.get(test.module, when))
    now = LATER.index(visibility)
    return frozenset(module for module, when in earliest.items() if when > now)


def _by_number(test: SuiteTest) -> tuple[int, ...]:
    digits = tuple(map(int, re.findall(r"\d+", test.number)))
    return digits or FAR


@dataclass(frozen=True, slots=True)
class _Suite:
    """The modules of a suite, by name."""

    folder: Path
    modules: dict[str, Module]

    def tests(self, name: str) -> Iterator[SuiteTest]:
        """Yield the tests that unittest finds in a module, in the order of the file."""
        module = self.modules[name]
        if not name.startswith("test"):
            return
        for case in (case for key, case in module.classes.items() if key not in module.deleted):
            if self._is_case(module, case):
                yield from self._tests_of(module, case)
            elif case.methods:
                self._refuse_unknown(module, case)
        for alias, (home, brought) in self._brought(module).items():
            yield from self._tests_of(home, replace(brought, name=alias), module)

    def _brought(self, module: Module) -> dict[str, tuple[Module, Class]]:
        """Return test classes imported from helper files, by name here, except base classes."""
        stars = [home for home in map(self._home, module.stars) if home is not None]
        names = {name: name for home in stars for name in home.classes} | module.names
        classes = {alias: self._class(module, name) for alias, name in names.items()}
        return {
            alias: pair
            for alias, pair in classes.items()
            if pair is not None
            and alias not in module.deleted
            and pair[0] is not module
            and not pair[0].path.stem.startswith("test")
            and self._is_case(*pair)
            and not self._is_base(*pair)
        }

    def _is_base(self, module: Module, case: Class) -> bool:
        """Return whether a class of the suite inherits from this one."""
        classes = (
            (home, other) for home in self.modules.values() for other in home.classes.values()
        )
        return any(
            self._class(home, base) == (module, case)
            for home, other in classes
            for base in other.bases
        )

    def _tests_of(
        self, module: Module, case: Class, run_in: Module | None = None
    ) -> Iterator[SuiteTest]:
        methods = self._methods(module, case)
        lone = methods.pop(LONE, None)
        for method, (home, node) in (methods or ({LONE: lone} if lone else {})).items():
            where = f"{home.path}:{node.lineno}"
            self._refuse_hidden(home, node, where)
            fields = read_decorators(node, home.names, where)
            title = (ast.get_docstring(node) or f"{case.name}.{method}").splitlines()[0].strip()
            yield SuiteTest((run_in or module).path.stem, case.name, method, title, **fields)

    def _refuse_hidden(self, home: Module, node: Method, where: str) -> None:
        """Refuse a decorator from the suite that calls a known one: its value cannot be read."""
        for decorator in node.decorator_list:
            plain = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
            place, _, last = full_name(plain, home.names).rpartition(".")
            homes = [self._home(place)] if place else [home, *map(self._home, home.stars)]
            hidden = next((one.hides[last] for one in homes if one and last in one.hides), None)
            if hidden is not None:
                problem = f"{where}: `@{plain}` hides `{hidden}`"
                raise UsageError(problem, "use that decorator directly, with its value")

    def refuse_later_imports(self, tests: Sequence[SuiteTest]) -> None:
        """Refuse a test whose file imports a test file that is left out of its process."""
        for test in tests:
            later = later_modules(tests, test.visibility)
            for home, imported in self._imports(test.module, set()):
                if imported in later:
                    problem = f"{home.path}: imports `{imported}`, whose tests are shown later than"
                    raise UsageError(
                        f"{problem} `{test.case}.{test.method}` of `{test.module}`",
                        "move what both need into a file without tests",
                    )

    def _imports(self, name: str, seen: set[str]) -> Iterator[tuple[Module, str]]:
        """Yield each module of the suite that this one imports, with the one that imports it."""
        if name in seen:
            return
        seen.add(name)
        for place in sorted(self.modules[name].imports):
            if (home := self._home(place)) is not None:
                yield self.modules[name], home.path.stem
                yield from self._imports(home.path.stem, seen)

    def _home(self, place: str) -> Module | None:
        """Return the suite's module of that name, if there is one."""
        return self.modules.get(place.removeprefix(f"{self.folder.name}."))

    def _methods(self, module: Module, case: Class) -> dict[str, tuple[Module, Method]]:
        """Return the test methods of a class, its own before those of its base classes."""
        _refuse_shapers(module, case)
        methods = {name: (module, node) for name, node in case.methods.items()}
        for base in case.bases:
            parent = self._class(module, base)
            inherited = self._methods(*parent) if parent is not None else {}
            methods |= {name: method for name, method in inherited.items() if name not in methods}
        if methods:
            self._refuse_unknown(module, case)
        return methods

    def _refuse_unknown(self, module: Module, case: Class) -> None:
        """Refuse a base class that is neither unittest's nor the suite's."""
        for base in case.bases:
            if self._class(module, base) is None and not _is_root(base) and base not in PLAIN:
                raise UsageError(
                    f"{module.path}: `{case.name}` inherits from `{base}`, "
                    "which is not in the suite",
                    "its tests cannot be counted; put the class into the suite's folder",
                )

    def _is_case(self, module: Module, case: Class) -> bool:
        bases = [self._class(module, base) for base in case.bases]
        inner = any(self._is_case(*base) for base in bases if base is not None)
        return inner or any(map(_is_root, case.bases))

    def _class(self, module: Module, name: str) -> tuple[Module, Class] | None:
        """Return the class of the suite that a name refers to, or None if it is not the suite's."""
        place, _, last = name.rpartition(".")
        homes = [self._home(place)] if place else [module, *map(self._home, module.stars)]
        classes = ((home, home.classes[last]) for home in homes if home and last in home.classes)
        return next(classes, None)


def _refuse_shapers(module: Module, case: Class) -> None:
    """Refuse decorators and metaclasses that may create tests."""
    for shaper in case.shapers:
        if shaper.startswith("gradescope_utils."):
            raise UsageError(
                f"{module.path}: `@{shaper.rpartition('.')[2]}` is on the class `{case.name}`",
                "gradescope-utils reads it only on tests; put it on each of them",
            )
        if shaper.partition(".")[0] not in HARMLESS:
            problem = f"{module.path}: `{shaper}` could change the tests of `{case.name}`"
            raise UsageError(problem, COUNTED)


def _is_root(name: str) -> bool:
    return name.partition(".")[0] == "unittest" and name.rpartition(".")[2] in CASES
