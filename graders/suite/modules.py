"""Read a module of a suite from its syntax tree: its classes, and what its names refer to."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from graders.errors import UsageError
from graders.suite.decorators import KNOWN, Method

CASES = ("TestCase", "IsolatedAsyncioTestCase")
LONE = "runTest"  # unittest runs it if a class has no other test
MAKERS = ("parameterized", "nose_parameterized", "ddt")  # packages that turn one test into many
CLASS_MAKERS = ("type", "types.new_class", "new_class")
NO_BASES = ("", "()")  # `type(x)` creates no class, and a class without bases has no tests
DATA = (
    ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set,
    ast.ListComp, ast.DictComp, ast.SetComp,
)  # fmt: skip
RUNS = (ast.For, ast.While, ast.If, ast.Try, ast.With, ast.Match)
COUNTED = "tests are counted without running the file; write each one as a method"


@dataclass(frozen=True, slots=True)
class Class:
    """A class: the full names of its base classes, and its own test methods.

    `shapers` are its decorators and its metaclass, which could give it other tests.
    """

    name: str
    bases: tuple[str, ...]
    methods: dict[str, Method]
    shapers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Module:
    """A file: its classes by name, and the full names behind imported ones.

    `hides` maps a name that the file defines to the gradescope-utils decorator that it uses;
    `stars` are the modules from which it imports everything, `imports` all names that it imports,
    `deleted` those that it deletes, such as a base class after its last use.
    """

    path: Path
    classes: dict[str, Class]
    names: dict[str, str]
    hides: dict[str, str]
    stars: tuple[str, ...]
    imports: frozenset[str]
    deleted: frozenset[str]


def read_module(path: Path) -> Module:
    """Return the module in a file; raises UsageError if it isn't Python or its tests can change."""
    try:
        tree = ast.parse(path.read_bytes())  # as Python: with a byte order mark, or an encoding
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: {error}", "the suite must be valid Python") from error
    names = dict(_imported(tree))
    nodes = list(_statements(tree.body))
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    _refuse_what_runs(tree, nodes, set(classes), path)
    _refuse_inner_classes(tree, set(nodes), path)
    read = {name: _class(node, names, path) for name, node in classes.items()}
    hides = {name: decorator for node in nodes for name, decorator in _hidden(node, names)}
    known = {name: _known(full) for name, full in names.items()}
    hides |= {name: last for name, last in known.items() if last not in ("", name)}
    stars = (n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.names[0].name == "*")
    modules = tuple(node.module or "" for node in stars)
    deleted = frozenset(name for node in nodes for name in _deleted(node))
    return Module(path, read, names, hides, modules, frozenset(_imports(tree)), deleted)


def _class(node: ast.ClassDef, names: dict[str, str], path: Path) -> Class:
    methods: dict[str, Method] = {}
    for statement in node.body:
        named = any(name.startswith("test") for name in _assigned(statement))
        if (named and not _is_data(statement)) or isinstance(statement, RUNS):
            raise UsageError(
                f"{path}:{statement.lineno}: `{node.name}` creates tests dynamically", COUNTED
            )
        if isinstance(statement, Method) and statement.name.startswith(("test", LONE)):
            methods[statement.name] = statement
            _refuse_makers(statement, names, f"{path}:{statement.lineno}")
    bases = tuple(full_name(ast.unparse(base), names) for base in node.bases)
    metaclasses = [keyword.value for keyword in node.keywords if keyword.arg == "metaclass"]
    shapers = tuple(_called(maker, names) for maker in (*node.decorator_list, *metaclasses))
    return Class(node.name, bases, methods, shapers)


def _is_data(statement: ast.stmt) -> bool:
    """Return whether a statement assigns values that cannot be called, so they are no tests."""
    value = getattr(statement, "value", None)
    targets = getattr(statement, "targets", ())
    unpacks = any(isinstance(target, ast.Tuple | ast.List) for target in targets)
    values = getattr(value, "elts", ()) if unpacks else [value]
    plain = (part.operand if isinstance(part, ast.UnaryOp) else part for part in values)
    return bool(values) and all(part is None or isinstance(part, DATA) for part in plain)


def _refuse_makers(node: Method, names: dict[str, str], where: str) -> None:
    """Refuse a decorator that turns this test into several."""
    for decorator in node.decorator_list:
        called = _called(decorator, names)
        if called.partition(".")[0] in MAKERS:
            raise UsageError(f"{where}: `@{called}` creates tests dynamically", COUNTED)


def _called(decorator: ast.expr, names: dict[str, str]) -> str:
    """Return the full name of a decorator, with or without arguments."""
    return full_name(
        ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator), names
    )


def _hidden(node: ast.stmt, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each name that a statement binds to something that uses a known decorator, with it."""
    targets = [node.name] if isinstance(node, Method | ast.ClassDef) else _assigned(node)
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name | ast.Attribute):
            known = _known(full_name(ast.unparse(inner), names))
            yield from ((name, known) for name in targets if known)


def _known(full: str) -> str:
    """Return the gradescope-utils decorator of this full name, or nothing."""
    place, _, last = full.rpartition(".")
    return last if last in KNOWN and place.startswith("gradescope_utils.") else ""


def _deleted(node: ast.stmt) -> list[str]:
    return [ast.unparse(target) for target in node.targets] if isinstance(node, ast.Delete) else []


def full_name(name: str, names: dict[str, str]) -> str:
    """Return the name with its first part replaced by what was imported."""
    first, dot, rest = name.partition(".")
    return names.get(first, first) + dot + rest


def _assigned(node: ast.stmt) -> list[str]:
    """Return the targets of an assignment; of a tuple, its parts."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    parts = [getattr(target, "elts", [target]) for target in targets]
    return [ast.unparse(part) for each in parts for part in each]


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((a.asname, a.name) for a in node.names if a.asname)
        elif isinstance(node, ast.ImportFrom):
            place = f"{node.module}." if node.module else ""
            for alias in node.names:
                exports = CASES if node.module == "unittest" else KNOWN
                every = exports if alias.name == "*" else (alias.name,)
                yield from ((alias.asname or name, place + name) for name in every)


def _imports(tree: ast.Module) -> Iterator[str]:
    """Yield what the file imports anywhere: `a` and `a.b` for `from a import b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            place = node.module or ""
            yield place
            yield from (f"{place}.{alias.name}".lstrip(".") for alias in node.names)


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, including those below `if` and `try`."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody") if isinstance(node, ast.If | ast.Try) else ():
            yield from _statements(getattr(node, part, ()))


def _refuse_what_runs(
    tree: ast.Module, nodes: Sequence[ast.stmt], classes: set[str], path: Path
) -> None:
    """Refuse `load_tests`, and code that adds tests to a class from outside the class."""
    for node in nodes:
        if isinstance(node, Method) and node.name == "load_tests":
            raise UsageError(
                f"{path}:{node.lineno}: `load_tests` creates tests dynamically", COUNTED
            )
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.Assign)):
        for case, dot, name in (target.partition(".") for target in _assigned(node)):
            if case in classes and name.startswith("test"):
                problem = f"{path}:{node.lineno}: `{case}{dot}{name} =` creates tests dynamically"
                raise UsageError(problem, COUNTED)
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        target = ast.unparse(call.args[0]) if call.args else ""
        called, where = ast.unparse(call.func), f"{path}:{call.lineno}"
        if called == "setattr" and target in classes:
            raise UsageError(f"{where}: `setattr` adds tests to `{target}`", COUNTED)
        bases = ast.unparse(call.args[1]) if len(call.args) > 1 else ""
        if called in CLASS_MAKERS and bases not in NO_BASES:
            raise UsageError(f"{where}: `{called}` creates a class dynamically", COUNTED)


def _refuse_inner_classes(tree: ast.Module, outer: set[ast.stmt], path: Path) -> None:
    """Refuse classes with tests in loops, functions or classes: they cannot be counted."""
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    for node in (node for node in classes if node not in outer):
        if any(isinstance(part, Method) and part.name.startswith("test") for part in node.body):
            where = f"{path}:{node.lineno}: `{node.name}`"
            raise UsageError(f"{where} is not at the top of the file", COUNTED)
