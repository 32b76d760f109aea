"""The report of an audit for the assignment's author: `audit.json` and `audit.html`."""

import json
from dataclasses import asdict
from pathlib import Path

from graders.audited import Audit
from graders.storage.result_json import write_text


def write_audit(audit: Audit, out: Path) -> Path:
    """Write `audit.json` below `out`, and return its path."""
    content = {"schema": "softmark/audit/v1", "clean": audit.clean, **asdict(audit)}
    return write_text(out / "audit.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")
