"""Recognize files in an upload that nobody wrote: caches, environments, files that systems add."""

import re
from collections.abc import Sequence

FOLDERS = frozenset({
    "__macosx", "__pycache__", "node_modules", "site-packages",
    ".git", ".hg", ".svn", ".idea", ".vscode", ".ipynb_checkpoints",
    ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".conda", "env", ".env", "icon\r",
})  # fmt: skip
FILES = frozenset({".ds_store", "thumbs.db", "desktop.ini", "icon\r"})
# Python imports compiled modules instead of the source file of this name, which staff read.
COMPILED = (".pyc", ".so", ".pyd")
# Matches `venv` or `my-venv-3.11` or `.venv`.
ENVIRONMENT = re.compile(r"(.*[-_. ])?\.?(venv|virtualenv)([-_. 0-9].*)?")


def is_left_out(parts: Sequence[str], *, folder: bool) -> bool:
    """Return whether an entry is in a folder that is left out, or is itself left out."""
    folders = parts if folder else parts[:-1]
    return any(map(_is_left_out_folder, folders)) or (not folder and _is_left_out_file(parts[-1]))


def _is_left_out_folder(name: str) -> bool:
    plain = name.casefold()
    return plain in FOLDERS or ENVIRONMENT.fullmatch(plain) is not None


def _is_left_out_file(name: str) -> bool:
    plain = name.casefold()
    # macOS's tar writes "._x" next to a file x: attributes, never code
    return plain in FILES or plain.startswith("._") or plain.endswith(COMPILED)
