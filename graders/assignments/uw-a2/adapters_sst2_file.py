"""Which file the classifier was taken from; beside the student's code."""

from typing import Any

from adapters_sst2_code import code


def sst2_file() -> dict[str, Any]:
    """The file, the names that nothing defines, and what is worth saying about the upload."""
    return {"file": code().file, "missing": list(code().missing), "notes": list(code().notes)[:6]}
