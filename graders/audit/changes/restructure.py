"""Rewrite how a file is divided: names and order of definitions, functions, configuration."""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

import libcst as cst
import libcst.matchers as m

from graders.audit.changes.rewriter import BINDS, Rename, Rewriter, bound_names, find_all


class RenameHelpers(Rewriter):
    """Renames functions whose name begins with an underscore, if no other file mentions them."""

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        texts = [string.value for string in find_all(original_node, m.SimpleString())]
        taken = {param.name.value for param in find_all(original_node, m.Param())}
        names = {
            node.name.value: self.fresh(f"{node.name.value}_step")
            for node in original_node.body
            if isinstance(node, cst.FunctionDef)
            and node.name.value.startswith("_")
            and node.name.value not in taken
            and not any(node.name.value in text for text in (*texts, self.elsewhere))
        }
        return updated_node.visit(Rename(names))


class TypeHints(Rewriter):
    """Annotates parameters and results."""

    HINT = cst.Annotation(cst.Name("object"))

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        hinted = updated_node.annotation or updated_node.name.value in ("self", "cls")
        return updated_node if hinted else updated_node.with_changes(annotation=self.HINT)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        return updated_node.with_changes(returns=updated_node.returns or self.HINT)


class Reorder(Rewriter):
    """Reverses neighboring functions, or methods, that can be in any order."""

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        return updated_node.with_changes(body=_reordered(updated_node.body))

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        body = updated_node.body
        if not isinstance(body, cst.IndentedBlock):
            return updated_node
        return updated_node.with_changes(body=body.with_changes(body=_reordered(body.body)))


def _reordered(body: Sequence[cst.CSTNode]) -> list[cst.CSTNode]:
    reordered: list[cst.CSTNode] = []
    run: list[cst.FunctionDef] = []
    for node in (*body, None):
        if isinstance(node, cst.FunctionDef) and _can_move(node, run):
            run.append(node)
            continue
        reordered += reversed(run)
        run = []
        if node is not None:
            reordered.append(node)
    return reordered


def _can_move(node: cst.FunctionDef, run: Sequence[cst.FunctionDef]) -> bool:
    """Return whether a definition needs no other one, and does not replace one of the run."""
    defaults = [param.default for param in find_all(node.params, m.Param()) if param.default]
    free = not any(find_all(default, m.Name() | m.Call()) for default in defaults)
    return (
        free
        and not node.decorators
        and all(node.name.value != definition.name.value for definition in run)
    )


class ExtractFunctions(Rewriter):
    """Moves returned expressions into functions of their own, with the variables as parameters."""

    COMPREHENSIONS = m.ListComp() | m.SetComp() | m.DictComp() | m.GeneratorExp()
    SCOPED = COMPREHENSIONS | m.Lambda() | m.NamedExpr() | m.Await() | m.Yield()
    OF_THE_FRAME = ("super", "locals", "vars", "eval", "exec", "globals")

    def __init__(self, module: cst.Module, rng: random.Random, elsewhere: str) -> None:
        super().__init__(module, rng, elsewhere)
        self._variables: list[set[str]] = []  # of the functions around a node
        self._made: list[cst.FunctionDef] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        names = {child.name.value for child in find_all(node, m.Param() | m.FunctionDef())}
        names |= {name for child in find_all(node.body, BINDS) for name in bound_names(child)}
        for line in find_all(node.body, m.Import() | m.ImportFrom()):
            names |= {child.value for child in find_all(line, m.Name())}
        self._variables.append(names)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self._variables.pop()
        return updated_node

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        value = updated_node.value
        if value is None or isinstance(value, cst.Name) or find_all(value, self.SCOPED):
            return updated_node
        reader = _Reader()
        value.visit(reader)
        private = any(name.startswith("__") for name in reader.names)
        if private or not reader.names.keys().isdisjoint(self.OF_THE_FRAME) or not self.hit():
            return updated_node
        variables = set[str]().union(*self._variables)
        needed = [name for name in reader.names if name in variables]
        name = cst.Name(self.fresh(f"step_{len(self._made) + 1}"))
        body = cst.IndentedBlock([cst.SimpleStatementLine([cst.Return(value)])])
        params = cst.Parameters([cst.Param(cst.Name(variable)) for variable in needed])
        self._made.append(cst.FunctionDef(name, params, body))
        call = cst.Call(name, [cst.Arg(cst.Name(variable)) for variable in needed])
        return updated_node.with_changes(
            value=call, whitespace_after_return=cst.SimpleWhitespace(" ")
        )

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        body = list(updated_node.body)
        kinds = (cst.FunctionDef, cst.ClassDef)
        start = next((k for k, node in enumerate(body) if isinstance(node, kinds)), len(body))
        return updated_node.with_changes(body=[*body[:start], *self._made, *body[start:]])


class _Reader(cst.CSTVisitor):
    """Collects the names that an expression reads, in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, None] = {}

    def visit_Name(self, node: cst.Name) -> None:
        self.names[node.value] = None

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Arg(self, node: cst.Arg) -> bool:
        node.value.visit(self)
        return False


class ConfigClass(Rewriter):
    """Collects the constants at the top of a file in a dataclass, if no other file uses them."""

    KINDS: Mapping[type[cst.CSTNode], str] = {
        cst.Integer: "int",
        cst.Float: "float",
        cst.SimpleString: "str",
    }

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        shared = {*re.findall(r"\w+", self.elsewhere)}
        pairs = [pair for line in updated_node.body for pair in _constant(line)]
        values = {
            name: value for name, value in pairs if type(value) in self.KINDS and name not in shared
        }
        if not values or find_all(updated_node, m.Global()):
            return updated_node
        bound = [name for node in find_all(updated_node, BINDS) for name in bound_names(node)]
        bound += [param.name.value for param in find_all(updated_node, m.Param())]
        values = {name: value for name, value in values.items() if bound.count(name) == 1}
        if not values:
            return updated_node
        config, kind = self.fresh("config"), self.fresh("Config")
        fields = "".join(
            f"    {name}: {self.KINDS[type(value)]} = {updated_node.code_for_node(value)}\n"
            for name, value in values.items()
        )
        start = f"import dataclasses\n@dataclasses.dataclass\nclass {kind}:\n"
        code: Iterable[cst.CSTNode] = cst.parse_module(f"{start}{fields}{config} = {kind}()\n").body
        rename = Rename({name: f"{config}.{name}" for name in values})
        body: list[cst.CSTNode] = []
        for line in updated_node.body:
            if any(name in values for name, _ in _constant(line)):
                body += code  # in place of the first constant
                code = ()
            else:
                body.append(cast(cst.CSTNode, line.visit(rename)))
        return updated_node.with_changes(body=body)


def _constant(line: cst.CSTNode) -> Iterator[tuple[str, cst.BaseExpression]]:
    """Yield the name and the value of a line such as `RATE = 0.1`."""
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        assign = line.body[0]
        if isinstance(assign, cst.Assign) and len(assign.targets) == 1:
            target = assign.targets[0].target
            if isinstance(target, cst.Name):
                yield target.value, assign.value
