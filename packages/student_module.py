"""One Python module as statements: what each defines, what it uses, and the text of some of them.

Only the top level is told apart: a function is kept as it is, or not at all.
"""

import ast
import symtable
from collections.abc import Collection, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property

IMPORTS = (ast.Import, ast.ImportFrom)
BINDING = (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.AugAssign)
CHECK = "test_"


@dataclass(frozen=True)  # a cached_property needs a dict
class Statement:
    """A statement of a module's top level."""

    node: ast.stmt

    @cached_property
    def defines(self) -> frozenset[str]:
        """The names that it binds in its module."""
        if isinstance(self.node, ast.Import):
            return frozenset(each.asname or each.name.split(".")[0] for each in self.node.names)
        if isinstance(self.node, ast.ImportFrom):
            return frozenset(each.asname or each.name for each in self.node.names)
        table = symtable.symtable(self.text, "module", "exec")
        symbols = (s for s in table.get_symbols() if s.is_assigned() or s.is_imported())
        return frozenset(symbol.get_name() for symbol in symbols) | _called(self.node)

    @cached_property
    def uses(self) -> frozenset[str]:
        """The names of its module that it reads; a check's parameters are fixtures."""
        tables = list(_tables(symtable.symtable(self.text, "module", "exec")))
        names = {s.get_name() for s in tables[0].get_symbols() if s.is_referenced()}
        names |= {s.get_name() for t in tables[1:] for s in t.get_symbols() if s.is_global()}
        if isinstance(self.node, ast.FunctionDef):
            asked = self.node.args
            names |= {each.arg for each in (*asked.posonlyargs, *asked.args, *asked.kwonlyargs)}
            names |= strings_in(self.node.decorator_list)  # usefixtures("name")
        return frozenset(names)

    @property
    def text(self) -> str:
        """The statement without comments."""
        return ast.unparse(self.node)

    @property
    def inner_imports(self) -> Iterator[ast.Import | ast.ImportFrom]:
        """The import statements in it, or the one that it is."""
        for node in ast.walk(self.node):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield node

    def attributes_of(self, name: str) -> frozenset[str] | None:
        """What it takes of a module by `name.X`; None where the module itself goes somewhere."""
        nodes = list(ast.walk(self.node))
        taken = [n for n in nodes if isinstance(n, ast.Attribute) and _is_name(n.value, name)]
        if sum(_is_name(node, name) for node in nodes) > len(taken):
            return None
        return frozenset(node.attr for node in taken)


@dataclass(frozen=True)
class ModuleText:
    """A module's source and its statements; strings alone on a line are none of them."""

    source: str

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The top level but for strings that nothing reads: docstrings, remarks."""
        body = ast.parse(self.source).body
        return tuple(Statement(node) for node in body if not _is_remark(node))

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that the module binds."""
        return frozenset[str]().union(*(each.defines for each in self.statements))

    def standing(self, reached: Collection[str]) -> list[Statement]:
        """The statements that bind a reached name, and those that do something with one."""
        return [each for each in self.statements if self._stands(each, frozenset(reached))]

    def written(self, reached: Collection[str], *, anew: bool) -> str:
        """The module with what is reached alone; the source itself where that is all of it.

        Written anew it has no comments, and docstrings in checks alone, whose sentences they are:
        the others may speak of what is gone.
        """
        kept = self.standing(reached)
        bound = frozenset[str]().union(*(s.defines for s in kept if isinstance(s.node, IMPORTS)))
        if not anew and len(kept) == len(self.statements) and bound <= {*reached, "annotations"}:
            return self.source
        nodes = [_undescribed(each.node) if anew else each.node for each in kept]
        texts = [_without(node, reached) for node in nodes]
        return "\n".join(text for text in texts if text) + "\n"

    @cached_property
    def _own(self) -> frozenset[str]:
        """The names that are made here, not imported."""
        made = (s.defines for s in self.statements if not isinstance(s.node, IMPORTS))
        return frozenset[str]().union(*made)

    def _stands(self, statement: Statement, reached: frozenset[str]) -> bool:
        node = statement.node
        if isinstance(node, ast.ImportFrom) and (node.module == "__future__" or _is_star(node)):
            return True
        if not statement.defines.isdisjoint(reached):
            return True
        if statement.defines and isinstance(node, (*IMPORTS, *BINDING)):
            return False
        own = (statement.uses | statement.defines) & self._own
        return not own or not own.isdisjoint(reached)


def strings_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Every string that stands in these, docstrings too."""
    found = (each.value for n in nodes for each in ast.walk(n) if isinstance(each, ast.Constant))
    return frozenset(text for text in found if isinstance(text, str))


def _without(node: ast.stmt, reached: Collection[str]) -> str:
    """The statement's text; of an import no name that nobody uses."""
    if isinstance(node, ast.ImportFrom) and node.module != "__future__" and not _is_star(node):
        names = [each for each in node.names if (each.asname or each.name) in reached]
        return ast.unparse(ast.ImportFrom(node.module, names, node.level)) if names else ""
    if isinstance(node, ast.Import):
        kept = [e for e in node.names if (e.asname or e.name.split(".")[0]) in reached]
        return ast.unparse(ast.Import(kept)) if kept else ""
    return ast.unparse(node)


def _undescribed(statement: ast.stmt) -> ast.stmt:
    """A copy without strings that nothing reads, but for the docstrings of checks."""
    copied = deepcopy(statement)
    for node in ast.walk(copied):
        for name in ("body", "orelse", "finalbody"):
            if isinstance(body := getattr(node, name, None), list) and body:
                told = isinstance(node, ast.FunctionDef) and node.name.startswith(CHECK)
                kept = [each for each in body[told:] if not _is_remark(each)]
                setattr(node, name, [*body[:told], *kept] or [ast.Pass()])
    return copied


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)


def _called(node: ast.stmt) -> frozenset[str]:
    """What pytest calls a fixture that is given another name."""
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    words = [each for d in decorators if isinstance(d, ast.Call) for each in d.keywords]
    return strings_in(each.value for each in words if each.arg == "name")


def _is_star(node: ast.ImportFrom) -> bool:
    return node.names[0].name == "*"


def _is_remark(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
