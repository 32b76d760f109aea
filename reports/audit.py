"""The report of an audit for the assignment's author: `audit.json` and `audit.html`."""

import json
from dataclasses import asdict
from pathlib import Path

from graders.audited import Audit
from graders.storage.result_json import write_text
from reports.page import render

SCHEMA = "softmark/audit/v1"


def write_audit(audit: Audit, out: Path) -> Path:
    """Write both files below `out`, and return the path of the page."""
    content = {"schema": SCHEMA, "clean": audit.clean, **asdict(audit)}
    write_text(out / "audit.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    view = {
        "audit": audit,
        "recorded": [survivor for survivor in audit.mutations.survivors if survivor.record],
        "bound": max((check.bound for check in audit.steadiness.checks), default=1.0),
    }
    return write_text(out / "audit.html", render("audit.html.jinja", view, style="audit.css"))
