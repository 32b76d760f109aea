"""Represent a student's file as a module that runs only the statements that are needed."""

import ast
import builtins
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, ModuleType
from typing import Any

from graders.adapting.reading.names import compiled, names_of, pruned
from graders.adapting.reading.outline import Outline, Statement
from graders.adapting.unavailable import lose

Import = Callable[..., Any]
Offers = Callable[[ast.ImportFrom, str], bool]
Inside = Callable[[str], ModuleType | None]


class LazyModule(ModuleType):
    """The module that the student's own imports get; its names are created when needed."""

    def __getattr__(self, name: str) -> Any:
        """Create the name now and return it."""
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return self.__dict__["__make__"](name)


class Module:
    """One file and the namespace of its functions."""

    def __init__(
        self,
        outline: Outline,
        *,
        given: Mapping[str, Any],
        importer: Import,
        offers: Offers,
        inside: Inside,
    ) -> None:
        self.outline = outline
        self.object = LazyModule(_free_name(outline.source.path.stem))
        self.namespace = self.object.__dict__
        self.failures: dict[str, BaseException] = {}
        self.unbound: set[str] = set()
        self.running = 0  # calls of `make`: a file that it imports may import this one
        self._offers = offers
        self._inside = inside
        self._given = dict(given)
        self._done: dict[int, set[str]] = {}
        self.namespace.update(
            __file__=str(outline.source.path),
            __builtins__={**vars(builtins), **NOTEBOOK, "__import__": importer},
            __make__=self.attribute,
        )
        self.namespace.update(given)
        sys.modules[self.object.__name__] = self.object  # where pickle and dataclasses look

    def attribute(self, name: str) -> Any:
        """Return `module.name` for other files; raises as Python would."""
        if name not in self.namespace:
            self.make([name])
        if name in self.namespace:
            return self.namespace[name]
        if name in self.failures:
            raise self.failures[name]
        if (module := self._inside(name)) is not None:
            return module
        raise AttributeError(f"`{self.outline.source.name}` has no `{name}`")

    def make(self, names: Sequence[str]) -> None:
        """Run what these names need, in the order of the file."""
        needs = self._needs(names)
        self.running += 1
        try:
            for index in sorted(needs):
                self._run(self.outline.statements[index], needs[index])
        finally:
            self.running -= 1

    def _needs(self, names: Sequence[str]) -> dict[int, set[str]]:
        """Return the statements that the names need, each with the names that need it."""
        needs: dict[int, set[str]] = {}
        waiting, seen = list(names), set(self._given)
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            for statement in self._makers(name):
                needs.setdefault(statement.index, set()).add(name)
                waiting += self._reads(statement, name)
        return needs

    def _makers(self, name: str) -> Iterator[Statement]:
        """Yield the statements that bind or change this name."""
        binders = self.outline.binders.get(name)
        if binders:
            final = self.outline.definition(name)
            yield from (
                binder for binder in binders if final is None or binder.index <= final.index
            )
            yield from self.outline.touchers.get(name, ())
        elif not name.startswith("__"):
            yield from self.outline.stars
            yield from self.outline.touchers.get("*", ())
            if not hasattr(builtins, name):
                self.unbound.add(name)

    def _reads(self, statement: Statement, name: str) -> frozenset[str]:
        """Return the names that are looked up by the part of a statement that makes this name."""
        part = pruned(statement.node, {name}, self.outline.trains)
        if part is None or part is statement.node:
            return statement.names.reads if part is not None else frozenset()
        return names_of(part, compiled(part, statement.filename)).reads

    def _run(self, statement: Statement, names: set[str]) -> None:
        """Run one statement for these names; if it fails, record the error for each of them."""
        left = names - self._done.setdefault(statement.index, set())
        self._done[statement.index] |= names
        if not left:
            return
        try:
            for code in self._codes(statement, left):
                exec(code, self.namespace)  # noqa: S102  the student's code, in the sandbox
        except (Exception, SystemExit) as error:  # noqa: BLE001
            self.failures |= dict.fromkeys(left, error)
            lose(left, error)
        else:
            for name in left:
                self.failures.pop(name, None)
        self.namespace.update(self._given)

    def _codes(self, statement: Statement, names: set[str]) -> Iterator[CodeType]:
        """Yield the code to run for these names; from a star import, only these names."""
        if isinstance(statement.node, ast.ImportFrom) and statement.is_star:
            for name in sorted(names):
                if self._offers(statement.node, name):
                    yield compiled(_import_of(statement.node, name), statement.filename)
            return
        part = pruned(statement.node, names, self.outline.trains)
        if part is not None:
            same = part is statement.node
            yield statement.code if same else compiled(part, statement.filename)


def _import_of(star: ast.ImportFrom, name: str) -> ast.stmt:
    """Return a copy of a star import that imports only this name."""
    alias = ast.copy_location(ast.alias(name), star)
    return ast.copy_location(ast.ImportFrom(star.module, [alias], star.level), star)


def _free_name(stem: str) -> str:
    """Return a name for a student's module that no other module has."""
    name, number = f"submission_{stem}", 1
    while name in sys.modules:
        number += 1
        name = f"submission_{stem}_{number}"
    return name


# ---------------------------------------------------------------- what a running notebook offers


def _nothing(*_values: Any, **_named: Any) -> None:
    """Ignore the call: there is no notebook here."""


class Silent:
    """A stand-in for the running notebook, which accepts every call and does nothing."""

    def __getattr__(self, name: str) -> Any:
        """Return a function that does nothing."""
        if name.startswith("__"):
            raise AttributeError(name)
        return _nothing


def _open(*values: Any, **named: Any) -> Any:
    """Open a file with the current built-in `open`, looked up at each call."""
    return builtins.open(*values, **named)


NOTEBOOK: dict[str, Any] = {"get_ipython": Silent, "display": _nothing, "open": _open}
