"""Turn the attacks in `submissions/examples/hostile/` into uploads that contain them.

hostile/attacks.toml     for each attack: name, class, tries, runs, the files that it adds to the
                         code, and what is created when needed: archive, artifact, submission
                         (the upload's name)
hostile/shared/          modules that all of them import
"""

import ast
import json
import shutil
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

import submissions
from graders.audit.attacks_archives import ARCHIVES, ARTIFACTS
from graders.audit.attacks_canaries import Canaries
from graders.audit.examples import EXPECTED, expectation, write_examples
from graders.audit.validate import build_solution
from graders.model import Assignment, FileSpec

HOSTILE = Path(str(submissions.__file__)).parent / "examples" / "hostile"
SHARED = HOSTILE / "shared"
AT_THE_TOP = "import hostile\n"
AT_THE_END = "\nimport aim\nimport hostile\n\naim.every(globals(), hostile.answer)\n"
# If only the definitions of a file run, each definition must contain the attack.
ON_EACH_DEFINITION = "@_attacked\n"
BRINGS_IT = """

def _attacked(defined):
    from importlib import import_module

    hostile = import_module("hostile")
    return import_module("aim").one(defined, hostile.answer) if {answers} else defined


"""
WITHOUT_ANSWERS = """
for _name, _value in list(globals().items()):
    if callable(_value) and not _name.startswith("_"):
        globals()[_name] = lambda *_, **__: None
"""


class Attack(BaseModel, extra="forbid", frozen=True):
    """One attack: what it tries, and how it is inserted into a submission."""

    name: str
    kind: str = Field(alias="class")
    tries: str
    runs: Literal["import", "answer", "never"]
    files: Mapping[str, str] = {}
    archive: str = ""
    artifact: str = ""
    submission: str = ""


class _Attacks(BaseModel, extra="forbid"):
    attack: list[Attack]


def known_attacks() -> list[Attack]:
    """Return all known attacks, by name."""
    text = (HOSTILE / "attacks.toml").read_text(encoding="utf-8")
    attacks = _Attacks.model_validate(tomllib.loads(text)).attack
    return sorted(attacks, key=lambda attack: attack.name)


def build_attackers(
    chosen: Sequence[Attack], base: Path, uploads: Path, files: FileSpec, canaries: Canaries
) -> dict[Path, Attack]:
    """Create an upload for each of these attacks."""
    return {build_attacker(attack, base, uploads, files, canaries): attack for attack in chosen}


def build_attacker(
    attack: Attack, base: Path, uploads: Path, files: FileSpec, canaries: Canaries
) -> Path:
    """Create an upload of `base` together with this attack."""
    folder = uploads / (attack.submission or attack.name)
    shutil.copytree(base, folder)
    code = _code_files(folder, files)
    beside = code[0].parent
    shutil.copytree(SHARED, beside, dirs_exist_ok=True, ignore=lambda *_: ["__pycache__"])
    for name, text in attack.files.items():
        (beside / name).parent.mkdir(parents=True, exist_ok=True)
        (beside / name).write_text(text, encoding="utf-8")
    (beside / "targets.json").write_text(json.dumps(canaries.targets), encoding="utf-8")
    for path in code:
        text = path.read_text(encoding="utf-8")
        put_in = _with_definitions_attacked if _by_pattern(files) else _with_attack
        path.write_text(put_in(text, attack.runs), encoding="utf-8")
    if attack.artifact:
        ARTIFACTS[attack.artifact](folder, files.artifacts)
    return ARCHIVES[attack.archive](folder) if attack.archive else folder


def _with_attack(text: str, runs: str) -> str:
    """Return the module with a line that runs the attack, after what must come first."""
    if runs == "answer":
        return text + AT_THE_END
    if runs == "never":
        return text
    return _below_the_top(text, text.splitlines(keepends=True), AT_THE_TOP)


def _below_the_top(text: str, lines: list[str], more: str) -> str:
    """Return the lines of the text with more text after what must come first."""
    first = max(_ends_of_the_top(text), default=0)
    return "".join([*lines[:first], more, *lines[first:]])


def _with_definitions_attacked(text: str, runs: str) -> str:
    """Return the module with a decorator on each definition that runs the attack.

    The decorator is defined above all of them: files run from top to bottom.
    """
    if runs == "never":
        return text
    lines = text.splitlines(keepends=True)
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            lines.insert(first - 1, ON_EACH_DEFINITION)
    return _below_the_top(text, lines, BRINGS_IT.format(answers=runs == "answer"))


def _by_pattern(files: FileSpec) -> bool:
    """Return whether code is searched in all files, by what they define."""
    return any("*" in name for name in files.code)


def _ends_of_the_top(text: str) -> Iterator[int]:
    """Yield the last lines of the module's docstring and of its `__future__` imports."""
    for number, node in enumerate(ast.parse(text).body):
        opens = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if opens or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            yield node.end_lineno or 0


# ---------------------------------------------------------------- the wrong code below an attack


def build_base(assignment: Assignment, folder: Path) -> Path:
    """Create wrong code from the planted examples that lose most, or a solution without answers.

    If different examples are wrong in different files, all wrong files are combined.
    """
    with tempfile.TemporaryDirectory() as work:
        examples = write_examples(assignment, Path(work))
        worst = _worst(examples, assignment)
        if not worst:
            return _without_answers(build_solution(assignment, folder), assignment.files)
        shutil.copytree(worst[0], folder, ignore=lambda *_: [EXPECTED])
        if _by_pattern(assignment.files):
            return _joined(worst, folder)
        usual = _usual_files(examples, assignment)
        for path in _code_files(folder, assignment.files):
            wrong = [
                text
                for example in worst
                if (text := _text_of(example, path.name)) != usual[path.name]
            ]
            if wrong and wrong[0]:
                path.write_text(wrong[0], encoding="utf-8")
    return folder


def _joined(worst: Sequence[Path], folder: Path) -> Path:
    """Add to the base the modules that only other examples have."""
    for example in worst:
        for path in example.glob("*.py"):
            if not (folder / path.name).exists():
                shutil.copyfile(path, folder / path.name)
    return folder


def _worst(examples: Sequence[Path], assignment: Assignment) -> list[Path]:
    """Return the planted examples that lose points for code, the worst first.

    Those that lose a whole criterion come last, because most of its checks are skipped.
    """
    code = {
        criterion.id: criterion.points
        for criterion in assignment.rubric
        if criterion.kind == "code"
    }
    order: dict[Path, tuple[bool, float, Path]] = {}
    for folder in examples:
        lost = {name: n for name, n in expectation(folder, assignment).lost.items() if name in code}
        if any(lost.values()):
            whole = any(n >= code[name] for name, n in lost.items())
            order[folder] = (whole, -sum(lost.values()), folder)
    return sorted(order, key=order.__getitem__)


def _usual_files(examples: Sequence[Path], assignment: Assignment) -> dict[str, str]:
    """Return the most common text of each code file among the planted examples."""
    return {
        name: Counter(_text_of(example, name) for example in examples).most_common(1)[0][0]
        for name in assignment.files.code
    }


def _text_of(folder: Path, name: str) -> str:
    path = next(folder.rglob(name), None)
    return path.read_text(encoding="utf-8") if path is not None else ""


def _without_answers(folder: Path, files: FileSpec) -> Path:
    for path in _code_files(folder, files):
        path.write_text(path.read_text(encoding="utf-8") + WITHOUT_ANSWERS, encoding="utf-8")
    return folder


def _code_files(folder: Path, files: FileSpec) -> list[Path]:
    """Return the code files of the assignment that the upload has."""
    if _by_pattern(files):
        return sorted(folder.rglob("*.py"))
    return [path for name in files.code if (path := next(folder.rglob(name), None)) is not None]
