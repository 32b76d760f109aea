"""Make null submissions: an empty file, the starter, or the solution with trivial functions.

None of them should earn points.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence

from graders.audit.changes.change import Base, Changed, Files
from graders.audit.examples import read_files
from graders.audited import Change
from graders.model import Assignment

EMPTY, STARTER = "empty", "starter"
TENSOR = """
import torch
for value in list(locals().values()):
    if isinstance(value, torch.Tensor):
        return {}
return {}
"""
BODIES: Mapping[str, str] = {  # the body of every function
    "return-none": "return None",
    "return-zeros": TENSOR.format("torch.zeros_like(value)", "0"),
    "return-ones": TENSOR.format("torch.ones_like(value)", "1"),
    "return-noise": TENSOR.format("torch.randn(value.shape)", "torch.randn(()).item()"),
    "return-first-input": "return {first}",
    "raise": "raise NotImplementedError",
    "pass": "pass",
}


def null_submissions(assignment: Assignment, solution: Base) -> Iterator[Changed]:
    """Yield the null submissions; constructors are left as they are, so that classes work."""
    yield _null(EMPTY, solution, {**solution.files, **dict.fromkeys(_code(solution), b"")})
    starter = assignment.folder / STARTER
    if starter.is_dir():
        yield _null(STARTER, solution, read_files(starter))
    for name, body in BODIES.items():
        files = {file: _emptied(solution.files[file], body) for file in _code(solution)}
        yield _null(name, solution, {**solution.files, **files})


def _code(solution: Base) -> Sequence[str]:
    return [name for name in solution.files if name.endswith(".py")]


def _null(name: str, solution: Base, files: Files) -> Changed:
    return Changed(Change(name, name, solution.name, "", "", ""), files)


class _Emptier(ast.NodeTransformer):
    def __init__(self, body: str) -> None:
        self._body = body

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if node.name == "__init__":
            return node
        names = [argument.arg for argument in node.args.args if argument.arg != "self"]
        body = self._body.replace("{first}", names[0] if names else "None")
        node.body = ast.parse(body).body
        return node


def _emptied(content: bytes, body: str) -> bytes:
    tree = _Emptier(body).visit(ast.parse(content))
    return (ast.unparse(ast.fix_missing_locations(tree)) + "\n").encode()
