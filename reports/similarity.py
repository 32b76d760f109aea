"""Write the report on shared passages, only for staff: `similarity.html` and `similarity.json`.

No page of a student, bundle or export reads these files, and no grade depends on them.
"""

import json
import math
from dataclasses import asdict
from pathlib import Path

from graders.similarity import pairs
from graders.similarity.pairs import Similarity
from graders.storage.result_json import write_text
from reports.page import render

SCHEMA = "softmark/similarity/v1"
FILE = "similarity"
TOP = 50  # pairs in the table; the JSON file has more


def write_similarity(similarity: Similarity, out: Path) -> Path:
    """Write both files into `out`, and return the path of the page."""
    text = json.dumps({"schema": SCHEMA, **asdict(similarity)}, indent=1, ensure_ascii=False)
    # UTF-8 cannot encode half of a surrogate pair, which a name or a line may contain.
    write_text(out / f"{FILE}.json", text.encode("utf-8", "replace").decode() + "\n")
    most = math.log1p(
        max((max(distribution) for distribution in similarity.distributions.values()), default=0)
    )
    bars = {
        kind: [math.log1p(count) / most if most else 0 for count in counts]
        for kind, counts in similarity.distributions.items()
    }
    view = {
        "found": similarity,
        "bars": bars,
        "top": similarity.ranked[:TOP],
        "shown": [pair for pair in similarity.ranked if pair.passages],
        "rules": pairs,
    }
    return write_text(
        out / f"{FILE}.html", render("similarity.html.jinja", view, style="similarity.css")
    )
