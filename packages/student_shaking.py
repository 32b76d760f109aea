"""What of an assignment's modules some checks need: the tree of what they use, shaken.

kept checks -> names they use -> statements that bind them -> names these use -> ...
-> modules of the folder that they import
"""

import ast
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from packages.student_module import ModuleText, Statement
from packages.student_modules import names_imported

FIXTURE = "fixture"
MARK = "pytestmark"  # pytest reads it, no statement does


@dataclass(slots=True)
class Shaken:
    """The names that are reached in each module of a folder, by the module's name."""

    modules: Mapping[str, ModuleText]
    reached: dict[str, set[str]] = field(default_factory=dict)

    def reach(self, module: str, names: Iterable[str]) -> None:
        """Reach these names, and all that they need."""
        known = self.reached.setdefault(module, set())
        new = (set(names) & self.modules[module].names) - known
        known |= new
        for statement in self.modules[module].standing(known) if new else ():
            self._follow(module, statement)

    def statements(self) -> list[Statement]:
        """Every statement that is kept."""
        return [
            statement
            for module, names in self.reached.items()
            for statement in self.modules[module].standing(names)
        ]

    def imported(self) -> frozenset[str]:
        """Every name that the kept statements import, of Softmark or not."""
        found: set[str] = set()
        for module, names in self.reached.items():
            tree = ast.parse(self.modules[module].written(names, anew=True))
            found.update(names_imported(tree))
        return frozenset(found)

    def _follow(self, module: str, statement: Statement) -> None:
        for node in statement.inner_imports:
            self._follow_import(module, statement, node)
        if not isinstance(statement.node, ast.Import | ast.ImportFrom):
            self.reach(module, statement.uses)

    def _follow_import(
        self, module: str, statement: Statement, node: ast.Import | ast.ImportFrom
    ) -> None:
        top = statement.node is node
        if isinstance(node, ast.ImportFrom):
            if (source := node.module or "") in self.modules:
                taken = [a.name for a in node.names if not top or self._is_reached(module, a)]
                whole = "*" in taken
                self.reach(source, self.modules[source].names if whole else taken)
            return
        for alias in node.names:
            if alias.name in self.modules and (not top or self._is_reached(module, alias)):
                self.reach(alias.name, self._taken(module, alias.asname or alias.name, alias.name))

    def _is_reached(self, module: str, alias: ast.alias) -> bool:
        return (alias.asname or alias.name) in self.reached[module] or alias.name == "*"

    def _taken(self, module: str, bound: str, source: str) -> Collection[str]:
        """What a module takes of another that it imports as a whole."""
        found: set[str] = set()
        for statement in self.modules[module].standing(self.reached[module]):
            taken = statement.attributes_of(bound)
            if taken is None:
                return self.modules[source].names
            found |= taken
        return found


def shaken(modules: Mapping[str, ModuleText], roots: Mapping[str, Collection[str]]) -> Shaken:
    """What these names of these modules need; a module with a root keeps its mark and fixtures."""
    found = Shaken(modules)
    for module, names in roots.items():
        found.reach(module, (*names, MARK, *_named(modules[module], _is_autouse)))
    return found


def _named(module: ModuleText, fits: Callable[[ast.expr], bool]) -> list[str]:
    return [
        statement.node.name
        for statement in module.statements
        if isinstance(statement.node, ast.FunctionDef)
        and any(map(fits, statement.node.decorator_list))
    ]


def _is_autouse(decorator: ast.expr) -> bool:
    text = ast.unparse(decorator)
    return FIXTURE in text and "autouse=True" in text
