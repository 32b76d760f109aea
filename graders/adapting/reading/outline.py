"""Find what a file defines and what each of its statements needs, without running it."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from types import CodeType

from graders.adapting.reading.names import (
    DEFINITION,
    MUTATORS,
    StatementNames,
    changed,
    compiled,
    in_scope,
    method_called,
    names_of,
    root,
)
from graders.adapting.reading.parsing import Broken
from graders.adapting.reading.source import Source

TRAINS = frozenset(("backward", "fit"))
TRAINER = re.compile(r"(train|main|fit|fine_?tune|pre_?train)(_model|_loop|_one_epoch|_epoch|er)?")
MODULES = frozenset(("nn", "functional"))  # as in `from torch import nn`
CALLED = frozenset(("forward", "__getitem__", "__call__"))  # methods that others call
WRAPPERS = frozenset(("partial", "wraps", "compile", "jit", "script", "vmap", "staticmethod"))


Imported = Callable[[ast.stmt], "Outline | None"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One top-level statement with its code and names."""

    index: int
    node: ast.stmt
    filename: str
    later: int
    code: CodeType
    names: StatementNames

    @property
    def is_star(self) -> bool:
        """Whether this is `from x import *`."""
        return isinstance(self.node, ast.ImportFrom) and self.node.names[0].name == "*"


class Outline:
    """The statements of one file, by the names that they bind.

    `imported` returns the outline of the upload's file that an import refers to, or None.
    """

    def __init__(self, source: Source, imported: Imported = lambda _: None) -> None:
        self.source = source
        self._imported = imported
        self.broken = list(source.broken)
        self.statements = {statement.index: statement for statement in self._read()}
        self.stars = [statement for statement in self.statements.values() if statement.is_star]
        self._trainers = _trainers(self.statements.values())

    def _read(self) -> Iterator[Statement]:
        for index, place in enumerate(self.source.places):
            try:
                code = compiled(place.node, place.filename)
                names = names_of(place.node, code)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                fault = SyntaxError(str(error), (place.filename, place.node.lineno, None, ""))
                name = getattr(place.node, "name", "")
                self.broken.append(Broken(fault, f"def {name}("))
                continue
            yield Statement(index, place.node, place.filename, place.later, code, names)

    @cached_property
    def binders(self) -> dict[str, list[Statement]]:
        """The statements that bind each name, except those below a border that only replace it."""
        table = _table((statement, statement.names.binds) for statement in self.statements.values())
        return {
            name: _early(_without_reuse(statements, name)) for name, statements in table.items()
        }

    @cached_property
    def touchers(self) -> dict[str, list[Statement]]:
        """The statements that change the object of each name."""
        statements = self.statements.values()
        table = _table(
            (
                statement,
                statement.names.touches
                | self._registered(statement)
                | self._registered_elsewhere(statement)
                | self._bases(statement),
            )
            for statement in statements
        )
        return {
            name: [statement for statement in changes if self._matters(statement, name)]
            for name, changes in table.items()
        }

    def _registered(self, statement: Statement) -> frozenset[str]:
        """Return the names that a definition's decorators change, such as a registry."""
        decorators = getattr(statement.node, "decorator_list", [])
        words = {
            part.id for one in decorators for part in ast.walk(one) if isinstance(part, ast.Name)
        }
        makers = [binder.node for word in words for binder in self.binders.get(word, ())]
        return frozenset(changed(part for node in makers for part in ast.walk(node)))

    def _registered_elsewhere(self, statement: Statement) -> frozenset[str]:
        """Return the names that a decorator of another file may change here, such as a registry.

        What it changes is unknown: it may be all that this file imports from the upload. Importing
        a file with such decorators changes the same.
        """
        other = self._imported(statement.node)
        if statement in self._decorated or (other is not None and other.registering):
            return self._borrowed_names
        return frozenset()

    @cached_property
    def registering(self) -> list[str]:
        """The names of the definitions that another file's decorator may register there."""
        return list(dict.fromkeys(name for one in self._decorated for name in one.names.binds))

    @cached_property
    def _decorated(self) -> list[Statement]:
        """The definitions with a decorator from another file of the upload."""
        return [
            statement
            for statement in self.statements.values()
            for decorator in getattr(statement.node, "decorator_list", [])
            for name in root(decorator)
            if any(
                (other := self._imported(binder.node)) is not None and other.changes_own
                for binder in self.binders.get(name, self.stars)
            )
        ]

    @cached_property
    def changes_own(self) -> bool:
        """Whether a definition changes a top-level object of the file, such as a registry."""
        definitions = [s.node for s in self.statements.values() if isinstance(s.node, DEFINITION)]
        parts = (part for node in definitions for part in ast.walk(node))
        return any(name in self.binders for name in changed(parts))

    @cached_property
    def _borrowed_names(self) -> frozenset[str]:
        """The names that imports from the upload bind; `*` for all unknown ones."""
        imports = [
            statement
            for statement in self.statements.values()
            if self._imported(statement.node) is not None
        ]
        stars = {"*"} if any(statement.is_star for statement in imports) else set()
        return frozenset(stars.union(*(statement.names.binds for statement in imports)))

    def _bases(self, statement: Statement) -> frozenset[str]:
        """Return what a class inherits from, at any depth: `__init_subclass__` may change it."""
        found: set[str] = set()
        waiting = [statement.node]
        while waiting:
            bases = {
                part.id
                for part in getattr(waiting.pop(), "bases", ())
                if isinstance(part, ast.Name)
            }
            waiting += [
                binder.node for base in bases - found for binder in self.binders.get(base, ())
            ]
            found |= bases
        return frozenset(found) - statement.names.binds

    def _matters(self, toucher: Statement, name: str) -> bool:
        """Return whether a change counts; a later one or a bare call of an import does not."""
        binders = self.binders.get(name, ())
        if binders and toucher.later > max(binder.later for binder in binders):
            return False
        called = method_called(toucher.node)
        imported = all(_is_import(binder.node) for binder in binders)
        if isinstance(toucher.node, DEFINITION):
            return not imported or name in self._borrowed_names
        return called is None or called.attr in MUTATORS or not imported

    def trains(self, node: ast.stmt) -> bool:
        """Return whether running this statement trains a model."""
        return not isinstance(node, DEFINITION) and any(
            _is_training(part, self._trainers) for part in in_scope(node)
        )

    def definition(self, name: str) -> Statement | None:
        """Return the statement that gives this name its final value, not counting imports."""
        statements = [
            statement for statement in self.binders.get(name, ()) if not _is_import(statement.node)
        ]
        written = [statement for statement in statements if _defines(statement.node, name)]
        if not written:
            return statements[-1] if statements else None
        return [
            statement
            for statement in statements
            if statement in written or self._remakes(statement.node, name)
        ][-1]

    def borrowed(self, name: str) -> Statement | None:
        """Return the import that binds this name, such as `from operator import add as plus`."""
        binders = self.binders.get(name, ())
        imports = [binder for binder in binders if isinstance(binder.node, ast.ImportFrom)]
        return imports[-1] if imports else None

    def _remakes(self, node: ast.stmt, name: str) -> bool:
        """Return whether an assignment replaces the function of this name by another function."""
        value = getattr(node, "value", None)
        if isinstance(value, ast.Lambda | ast.Attribute):
            return True
        if isinstance(value, ast.Name):
            return any(_defines(binder.node, value.id) for binder in self.binders.get(value.id, ()))
        if not isinstance(value, ast.Call):
            return False
        words = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
        words |= {part.attr for part in ast.walk(value.func) if isinstance(part, ast.Attribute)}
        return bool(words & {name, *WRAPPERS}) or any(map(self._makes_functions, words))

    def _makes_functions(self, name: str) -> bool:
        """Return whether this is a function of the file that contains another function."""
        return any(
            isinstance(inner, (*DEFINITION, ast.Lambda))
            for binder in self.binders.get(name, ())
            if isinstance(binder.node, ast.FunctionDef)
            for part in binder.node.body
            for inner in ast.walk(part)
        )

    def method_owner(self, name: str) -> str | None:
        """Return the only top-level class that has a method of this name, or None."""
        owners = {
            statement.node.name
            for statement in self.statements.values()
            if isinstance(statement.node, ast.ClassDef) and method(statement.node, name) is not None
        }
        return owners.pop() if len(owners) == 1 else None

    def owner_of(self, name: str) -> Statement | None:
        """Return the statement that defines the class returned by `method_owner`."""
        owner = self.method_owner(name)
        return self.definition(owner) if owner is not None else None

    def is_written(self, name: str) -> bool:
        """Return whether this name's definition is more than a stub."""
        statement = self.definition(name)
        if statement is None:
            return bool(self.borrowed(name) or self.method_owner(name))
        return not is_empty(statement.node)

    def broken_definition(self, name: str) -> SyntaxError | None:
        """Return the syntax error in the text that would have defined this name."""
        heads = (f"def {name}(", f"def {name} ", f"class {name}", f"{name} =", f"{name}=")
        for broken in self.broken:
            if broken.first.strip().removeprefix("async ").startswith(heads):
                return broken.error
        return None


def method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """Return the last method of this name in a class."""
    methods = [
        part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == name
    ]
    return methods[-1] if methods else None


def _table(pairs: Iterable[tuple[Statement, frozenset[str]]]) -> dict[str, list[Statement]]:
    """Return the statements grouped by name."""
    table: dict[str, list[Statement]] = {}
    for statement, names in pairs:
        for name in names:
            table.setdefault(name, []).append(statement)
    return table


def _early(statements: list[Statement]) -> list[Statement]:
    """Return the consecutive assignments in the same block."""
    first = next(
        (statement for statement in statements if not _is_stub(statement.node)), statements[0]
    )
    return [statement for statement in statements if statement.later <= first.later]


def _is_stub(node: ast.stmt) -> bool:
    """Return whether a definition is a stub; one that returns its argument is not."""
    if not is_empty(node) or not isinstance(node, ast.FunctionDef):
        return is_empty(node)
    last = node.body[-1]
    if not (isinstance(last, ast.Return) and isinstance(last.value, ast.Name)):
        return True
    blank = [ast.unparse(part.targets[0]) for part in node.body if isinstance(part, ast.Assign)]
    return last.value.id in blank or any(map(_refuses, node.body))


def _without_reuse(statements: list[Statement], name: str) -> list[Statement]:
    """Return the statements without those that reuse a module's name, such as a later `F = 3`."""
    modules = [statement.index for statement in statements if _is_module(statement.node)]
    reused = [
        statement
        for statement in statements
        if modules and statement.index > modules[0] and _reuses(statement, name)
    ]
    return [statement for statement in statements if statement not in reused]


def _is_module(node: ast.stmt) -> bool:
    taken = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
    return isinstance(node, ast.Import) or bool(set(taken) & MODULES)


def _reuses(statement: Statement, name: str) -> bool:
    """Return whether it gives the name a value that is unrelated to the earlier one."""
    node = statement.node
    value = getattr(node, "value", None)
    other = not isinstance(value, ast.Lambda | ast.Name | ast.Attribute)
    plain = isinstance(node, ast.For) or (isinstance(node, ast.Assign) and other)
    return plain and name not in statement.names.reads


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _defines(node: ast.stmt, name: str) -> bool:
    """Return whether the statement has a `def` or `class` of this name, also inside an `if`."""
    return any(isinstance(part, DEFINITION) and part.name == name for part in in_scope(node))


def is_empty(node: ast.stmt) -> bool:
    """Return whether a definition is a starter's stub: empty, or it raises NotImplementedError.

    A class is a stub if a method that others call is one, or if its `__init__` raises. If it has
    no such method, it is a stub if all of its methods are.
    """
    if isinstance(node, ast.ClassDef):
        methods = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
        init = methods.pop("__init__", None)
        called = [function for name, function in methods.items() if name in CALLED]
        if init is not None and any(map(_refuses, init.body)):
            return True
        if called:
            return any(map(is_empty, called))
        return bool(methods) and all(map(is_empty, methods.values()))
    if not isinstance(node, ast.FunctionDef):
        return False
    return any(map(_refuses, node.body)) or all(map(_does_nothing, node.body))


def _refuses(node: ast.stmt) -> bool:
    """Return whether a statement always raises NotImplementedError, as starters do.

    In a loop or a branch, the `raise` must come first: after other code, the student has begun to
    write and forgot to remove the line.
    """
    if isinstance(node, ast.For | ast.While | ast.With | ast.Try):
        return _refuses_at_once(node.body)
    if isinstance(node, ast.If):
        return bool(node.orelse) and all(map(_refuses_at_once, _branches(node)))
    return isinstance(node, ast.Raise) and any(
        isinstance(part, ast.Name) and part.id.startswith("NotImplemented")
        for part in ast.walk(node)
    )


def _refuses_at_once(body: list[ast.stmt]) -> bool:
    done = [statement for statement in body if not _does_nothing(statement)]
    return bool(done) and _refuses(done[0])


def _branches(node: ast.If) -> Iterator[list[ast.stmt]]:
    """Yield the bodies of an `if`, all its `elif`s and its `else`."""
    yield node.body
    if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        yield from _branches(node.orelse[0])
    elif node.orelse:
        yield node.orelse


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Return | ast.Assign):
        value = node.value
        nothing = isinstance(value, ast.Constant) and value.value in (None, ...)
        return value is None or nothing or isinstance(value, ast.Name)
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or isinstance(node, ast.Pass)


def _trainers(statements: Iterable[Statement]) -> set[str]:
    """Return the functions of the file that train a model, directly or through another one."""
    functions = [
        statement.node for statement in statements if isinstance(statement.node, ast.FunctionDef)
    ]
    calls = {function.name: _calls(function) for function in functions}
    names: set[str] = set()
    while True:
        trainers = {name for name, inside in calls.items() if inside & (TRAINS | names)}
        if trainers <= names:
            return names
        names |= trainers


def _calls(function: ast.FunctionDef) -> set[str]:
    """Return the names of the functions that a function calls, and of the TRAINS methods."""
    functions = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    methods = {node.attr for node in functions if isinstance(node, ast.Attribute)}
    return methods & TRAINS | {node.id for node in functions if isinstance(node, ast.Name)}


def _is_training(node: ast.AST, trainers: set[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        owner = node.func.value
        root = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
        runs = node.func.attr == "train" and root.lower().endswith("trainer")
        return runs or node.func.attr in TRAINS
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    return name in trainers or TRAINER.fullmatch(name) is not None
