"""Generate mutants of correct submissions: each has one small mistake.

files -> sites (a node, an operator, a replacement) -> shuffled, evenly over operators and
definitions -> text -> dropped if it does not compile or has the bytecode of another one
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from graders.audit.changes.change import (
    Base,
    Changed,
    alternate,
    bytecode,
    diff_of,
    make_id,
    once,
)
from graders.audit.changes.operators import OPERATORS, called, name_of
from graders.audited import Change

SILENT = ("print", "tqdm", "trange", "info", "debug", "warning", "write", "basicConfig")
SEEDS = ("seed", "manual_seed", "manual_seed_all", "set_seed")
WORDS = ("help", "description", "desc")  # keywords whose values only people read


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A file of a base, with the text of each statement between its header and footer."""

    base: Base
    file: str
    module: cst.Module
    parts: tuple[str, ...]
    meaning: object

    def text_with(self, index: int, statement: cst.CSTNode) -> str:
        """Return the file's text with another statement at this index."""
        text = self.module.code_for_node(statement)
        return "".join((*self.parts[: index + 1], text, *self.parts[index + 2 :]))


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A place in a statement of a file where an operator can put another node."""

    source: Source
    index: int
    operator: str
    definition: str
    old: cst.CSTNode
    new: cst.CSTNode


class _Sites(cst.CSTVisitor):
    """Collects the sites of a statement, except where a change cannot affect a Result."""

    def __init__(self, source: Source, index: int) -> None:
        super().__init__()
        self.found: list[Site] = []
        self._source, self._index = source, index
        self._scopes: list[str] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if _says_nothing(node):
            return False
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            self._scopes.append(node.name.value)
        definition = ".".join(self._scopes) or "module"
        for operator in OPERATORS:
            for new in operator.changes(node):
                place = (self._source, self._index, operator.name, definition)
                self.found.append(Site(*place, node, new))
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, (cst.FunctionDef, cst.ClassDef)):
            self._scopes.pop()


def _says_nothing(node: cst.CSTNode) -> bool:
    """Return whether mutating a node would be pointless.

    Annotations, texts for people and a main block have no effect on a Result. Without an import,
    nothing would run, so every check would notice it.
    """
    if isinstance(node, (cst.Import, cst.ImportFrom, cst.Annotation, cst.Raise)):
        return True
    if isinstance(node, cst.If) and isinstance(node.test, cst.Comparison):
        return name_of(node.test.left) == "__name__"
    if isinstance(node, cst.Arg) and node.keyword and node.keyword.value in WORDS:
        return True
    if isinstance(node, cst.Expr):
        return isinstance(node.value, cst.BaseString) or called(node.value) in (*SILENT, *SEEDS)
    return isinstance(node, cst.Assign) and name_of(node.targets[0].target) == "__all__"


def sites_of(bases: Sequence[Base]) -> tuple[list[Site], list[Site]]:
    """Return all sites of the solution, and those of the other correct submissions."""
    sites: tuple[list[Site], list[Site]] = ([], [])
    for base in bases:
        for file in base.code:
            source = _source(base, file)
            for index, statement in enumerate(source.module.body):
                visitor = _Sites(source, index)
                statement.visit(visitor)
                sites[base is not bases[0]].extend(visitor.found)
    return sites


def _source(base: Base, file: str) -> Source:
    module = cst.parse_module(base.files[file].decode("utf-8"))
    parts = [module.code_for_node(statement) for statement in module.body]
    start = "".join(module.code_for_node(line) for line in module.header)
    end = "".join(module.code_for_node(line) for line in module.footer)
    return Source(base, file, module, (start, *parts, end), bytecode(module.code))


def generate_mutants(sites: tuple[list[Site], list[Site]], seed: int) -> Iterator[Changed]:
    """Yield mutants, alternately of the solution and of the others, until no sites are left."""
    seen: set[object] = set()
    counts: Counter[tuple[str, str]] = Counter()
    # One generator for each: the solution's sample does not depend on the other submissions.
    chosen = alternate(*(_evenly(site, random.Random(seed)) for site in sites))  # noqa: S311
    mutants = (_mutant(site, seen, counts) for site in chosen)
    return once(
        (mutant for mutant in mutants if mutant is not None), lambda mutant: mutant.change.id
    )


def _evenly(sites: Sequence[Site], rng: random.Random) -> Iterator[Site]:
    """Yield the sites in random order, one of each operator and definition in turn."""
    groups: dict[tuple[str, str], list[Site]] = {}
    for site in sites:
        groups.setdefault((site.operator, site.definition), []).append(site)
    waiting = list(groups.values())
    for group in waiting:
        rng.shuffle(group)
    while waiting:
        rng.shuffle(waiting)
        for group in waiting:
            yield group.pop()
        waiting = [group for group in waiting if group]


def _mutant(site: Site, seen: set[object], counts: Counter[tuple[str, str]]) -> Changed | None:
    """Return the mutant, or None if it does not compile or equals the base or an earlier one."""
    source = site.source
    statement = source.module.body[site.index]
    try:
        changed = statement.deep_replace(site.old, site.new)
    except (cst.CSTValidationError, TypeError):  # not Python
        return None
    if not isinstance(changed, cst.CSTNode):
        return None
    new = source.text_with(site.index, changed)
    meaning = bytecode(new)
    if meaning is None or meaning == source.meaning or (source.file, meaning) in seen:
        return None
    seen.add((source.file, meaning))
    diff = diff_of(source.module.code, new)
    plain = make_id(source.file, site.operator, site.definition, diff)
    key = (source.base.name, plain)
    counts[key] += 1  # the same line may occur several times in one definition
    change = Change(
        id=make_id(source.file, site.operator, site.definition, diff, counts[key] - 1),
        operator=site.operator,
        base=source.base.name,
        file=source.file,
        definition=site.definition,
        diff="\n".join(diff),
    )
    return Changed(change, {**source.base.files, source.file: new.encode()})
