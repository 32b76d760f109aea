"""Measure whether `similarity` ranks planted copies above independent solutions, and how fast.

    python benchmarks/quality/similarity.py [--seed 0] [--timed 300]

The independent solutions are planted examples `right-*` of one problem that were written by
different routes: no two of them have more than half of their lines in common. They were written by
few authors, so they are more alike than those of a course. For each way of copying, every solution
gets one copy, rewritten by the audit's rewrites with the same meaning, and all are compared as one
course. AUC is the chance that a copy shares more with its original than two independent solutions
do; its 95% interval resamples the solutions. A false flag is an independent pair at or above the
share that links submissions on the page.

`--timed` submissions, each a copy of one solution of every problem with answers and predictions,
are then compared by the command itself.
"""

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import combinations
from pathlib import Path

import libcst as cst
import numpy as np

from graders.audit.changes.change import bytecode, read_bases
from graders.audit.changes.rewrites import REWRITES
from graders.registry.discovery import load_assignment
from graders.similarity.pairs import LINKED, compare
from graders.similarity.uploads import read_upload
from graders.statistics import wilson
from submissions.receive import identify_all

PROBLEMS = (("uw-a2", "right-mini-*"), ("uw-a2", "right-sst2-*"), ("jhu-hw6", "right-*"))
ALIKE = 0.5  # the share of its lines that an independent solution has at most in another one
SHORT = 10  # characters; shorter lines are equal by chance
RESAMPLED = 1000
FLOW = (
    "conditions inverted", "loops for comprehensions", "results named", "functions extracted",
    "sides swapped", "matmul and einsum", "keywords for positions", "constants in a dataclass",
)  # fmt: skip
NAMES = ("locals renamed", "helpers renamed", "type hints", "comments")
WAYS: Mapping[str, tuple[str, ...]] = {
    "renamed": NAMES,
    "reordered": ("definitions reordered",),
    "dead code added": ("dead code",),
    "other control flow": FLOW,
    "all of these": (*NAMES, *FLOW, "definitions reordered", "dead code"),
}
# Some of it is what `similarity` leaves out (unread variables, false conditions), some is not.
DEAD = (
    "{name} = 0\n",
    "if False:\n    {name} = 1\n",
    "{name} = [1, 2, 3]\nif len({name}) > 5:\n    {name}.append(4)\n",
    "for {name} in range(0):\n    {name} += 1\n",
    "try:\n    {name} = int('1')\nexcept ValueError:\n    {name} = 2\n",
)
Code = Mapping[str, str]


class DeadCode(cst.CSTTransformer):
    """Adds statements without an effect after a third of the statements."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._rng, self._count = rng, 0

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        body: list[cst.BaseStatement] = []
        for statement in updated_node.body:
            if body and self._rng.random() < 1 / 3:
                self._count += 1
                added = self._rng.choice(DEAD).format(name=f"extra_{self._count}")
                body += list(cst.parse_module(added).body)
            body.append(statement)
        return updated_node.with_changes(body=body)


def solutions(assignment: str, pattern: str) -> list[Code]:
    """Return the code of examples of which no two have many lines in common."""
    chosen: list[Code] = []
    with tempfile.TemporaryDirectory() as work:
        for base in read_bases(load_assignment(assignment), Path(work)):
            code = {name: base.files[name].decode() for name in base.code}
            if fnmatch(base.name, pattern) and all(_overlap(code, c) <= ALIKE for c in chosen):
                chosen.append(code)
    return chosen


def _overlap(one: Code, other: Code) -> float:
    """Return the share of the lines of the shorter code that the other has."""
    lines = [
        {line.strip() for text in code.values() for line in text.split("\n")}
        for code in (one, other)
    ]
    long = [{line for line in code_lines if len(line) >= SHORT} for code_lines in lines]
    return len(long[0] & long[1]) / max(1, min(map(len, long)))


def copied(code: Code, way: Sequence[str], rng: random.Random) -> Code:
    """Return a copy of the code, rewritten in this way where its rewrites apply."""
    files = dict(code)
    makers = {entry.name: entry.transformer for entry in REWRITES}
    for rewrite in way:
        for name, text in files.items():
            module = cst.parse_module(text)
            elsewhere = "".join(files[file] for file in files if file != name)
            change = makers[rewrite](module, rng, elsewhere) if rewrite in makers else DeadCode(rng)
            new = module.visit(change).code
            files[name] = new if bytecode(new) is not None else text
    return files


@dataclass(frozen=True, slots=True)
class Course:
    """The shares of one problem: of each copy with its original, and of each two solutions."""

    copies: tuple[float, ...]
    independent: Mapping[tuple[int, int], float]


def compared(originals: Sequence[Code], copies: Sequence[Code]) -> Course:
    """Compare the originals and the copies as one course."""
    with tempfile.TemporaryDirectory() as work:
        folders = []
        for at, code in enumerate((*originals, *copies)):
            folders.append(Path(work) / f"{at:03}")
            _write(folders[-1], code)
        comparison = compare([read_upload(submission) for submission in identify_all(folders, "")])
    share = {tuple(sorted((int(p.one), int(p.other)))): p.code.larger for p in comparison.ranked}
    n = len(originals)
    return Course(
        tuple(share.get((at, n + at), 0.0) for at in range(len(copies))),
        {pair: share.get(pair, 0.0) for pair in combinations(range(n), 2)},
    )


def _write(folder: Path, files: Code) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def auc(copies: Sequence[float], independent: Sequence[float]) -> float:
    """Return the chance that a copy has the larger share; equal ones count half."""
    higher = np.array(copies)[:, None] - np.array(independent)
    return float(((higher > 0) + (higher == 0) / 2).mean())


def interval(courses: Sequence[Course], seed: int) -> tuple[float, float]:
    """Return the 95% interval of the AUC; the solutions of each problem are resampled."""
    rng, areas = np.random.default_rng(seed), []
    for _ in range(RESAMPLED):
        copies: list[float] = []
        independent: list[float] = []
        for course in courses:
            drawn = rng.integers(len(course.copies), size=len(course.copies)).tolist()
            copies += [course.copies[at] for at in drawn]
            pairs = combinations(sorted(drawn), 2)
            independent += [course.independent[pair] for pair in pairs if pair[0] != pair[1]]
        areas.append(auc(copies, independent))
    low, high = np.quantile(areas, (0.025, 0.975))
    return float(low), float(high)


def rows(
    problems: Sequence[Sequence[Code]], rewritten: Mapping[str, Sequence[Sequence[Code]]], seed: int
) -> Iterator[str]:
    """Yield a line for each way of copying, and one for the independent solutions."""
    for way in WAYS:
        courses = list(map(compared, problems, rewritten[way]))
        copies = [share for course in courses for share in course.copies]
        independent = [share for course in courses for share in course.independent.values()]
        low, high = interval(courses, seed)
        linked = sum(share >= LINKED for share in copies)
        above = sum(share > max(independent) for share in copies)
        yield (
            f"{way:20} AUC {auc(copies, independent):.4f} ({low:.4f} to {high:.4f}); "
            f"median share {np.median(copies):.0%}; {linked} of {len(copies)} linked; "
            f"{above} above every independent pair"
        )
    alone = [share for codes in problems for share in compared(codes, ()).independent.values()]
    flags, pairs = sum(share >= LINKED for share in alone), len(alone)
    low, high = (300 * 299 / 2 * share for share in wilson(flags, pairs))
    yield (
        f"independent solutions: {flags} of {pairs} pairs linked, largest share {max(alone):.0%}, "
        f"99% below {np.quantile(alone, 0.99):.0%}; "
        f"per 300 submissions {300 * 299 / 2 * flags / pairs:.0f} ({low:.0f} to {high:.0f})"
    )


def timed(rewritten: Mapping[str, Sequence[Sequence[Code]]], count: int, seed: int) -> str:
    """Run the command on a course of rewritten solutions, and return how long it took."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as work:
        size = 0
        for student in range(count):
            folder = Path(work) / "uploads" / f"{student:04}"
            for copies in rng.choice([*rewritten.values()]):
                _write(folder, rng.choice(copies))
            words = [f"word{rng.randrange(3000)}" for _ in range(400)]
            lines = [f"town {rng.randrange(50)}" for _ in range(437)]
            _write(folder, {"answers.md": " ".join(words), "test.predictions": "\n".join(lines)})
            size += sum(path.stat().st_size for path in folder.rglob("*.py"))
        command = ["grade.py", "similarity", f"{work}/uploads", "--out", f"{work}/out"]
        start, before = time.perf_counter(), _cpu_seconds()
        subprocess.run([sys.executable, *command], check=True, capture_output=True)
        seconds, used = time.perf_counter() - start, _cpu_seconds() - before
    return (
        f"{count} submissions of {size / count / 1024:.1f} KiB of code: "
        f"{seconds:.1f} s, {used:.1f} CPU s"
    )


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timed", type=int, default=300, help="submissions; 0 times nothing")
    arguments = parser.parse_args()
    problems = [solutions(*problem) for problem in PROBLEMS]
    counts = ", ".join(
        f"{len(codes)} of {name} {pattern}"
        for codes, (name, pattern) in zip(problems, PROBLEMS, strict=True)
    )
    print(f"independent solutions: {counts}", flush=True)
    rng = random.Random(arguments.seed)
    copies = {
        way: [[copied(code, rewrites, rng) for code in codes] for codes in problems]
        for way, rewrites in WAYS.items()
    }
    for row in rows(problems, copies, arguments.seed):
        print(row, flush=True)
    if arguments.timed:
        print(timed(copies, arguments.timed, arguments.seed))


if __name__ == "__main__":
    main()
