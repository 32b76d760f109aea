"""Write the files of a new assignment, which the tutorial explains."""

import json
import shutil
from pathlib import Path

from graders.errors import UsageError
from graders.registry.check_files import files_below

SKELETON = Path(__file__).parent / "templates" / "assignment"
NAME = 'name = "softmax"'


def write_skeleton(folder: Path) -> list[Path]:
    """Write a small assignment into a new folder, named after it; return its files."""
    if folder.exists():
        raise UsageError(f"{folder} exists already", "choose another name")
    shutil.copytree(SKELETON, folder, ignore=shutil.ignore_patterns("__pycache__"))
    toml = folder / "assignment.toml"
    named = f"name = {json.dumps(folder.resolve().name, ensure_ascii=False)}"
    toml.write_text(toml.read_text(encoding="utf-8").replace(NAME, named), encoding="utf-8")
    return list(files_below(folder))
