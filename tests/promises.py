"""The table of promises in SECURITY.md, generated from the tests marked with `promise`.

    python -m tests.promises           # prints the table
    python -m tests.promises --write   # writes it to SECURITY.md

A tier keeps a promise when a marked test runs in it. The mark may add a remark on a tier, such as
what it does not limit: `@pytest.mark.promise("leaves no process behind", none="**no**: ...")`.
"""

import contextlib
import io
import re
import sys
from collections import defaultdict
from itertools import groupby
from pathlib import Path

import pytest

from graders.boundary.tiers.sandbox import Tier, tier_works

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "SECURITY.md"
BEGIN, END = "<!-- written by tests/promises.py -->\n", "<!-- end of the table -->\n"
PLACES = ("tests/attacks", "tests/graders/boundary")


class Promises:
    """Collects, for each promise, the tests, the tiers they run in and what is said of a tier."""

    def __init__(self):
        self.tests = defaultdict(dict)
        self.tiers = defaultdict(set)
        self.remarks = defaultdict(dict)

    def pytest_collection_modifyitems(self, items):
        for item in items:
            for mark in item.iter_markers("promise"):
                (promise,) = mark.args
                self.tests[promise][item.originalname] = (
                    item.path.relative_to(ROOT),
                    item.location[1],
                )
                self.tiers[promise] |= set(tiers_of(item))
                self.remarks[promise] |= mark.kwargs


def tiers_of(item):
    """The tiers among a test's parameters, which may stand in tuples."""
    for value in item.callspec.params.values():
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Tier):
                yield part


def collected():
    promises = Promises()
    words = ["--collect-only", "-q", "-p", "no:cacheprovider", *(str(ROOT / p) for p in PLACES)]
    with contextlib.redirect_stdout(io.StringIO()) as output:
        code = pytest.main(words, plugins=[promises])
    assert code == 0, output.getvalue()
    return promises


def table():
    """The rows of all promises."""
    promises = collected()
    yield f"| promise | {' | '.join(f'`{tier.value}`' for tier in Tier)} | shown by |"
    yield "|---" * (len(Tier) + 2) + "|"
    for promise, tests in sorted(promises.tests.items(), key=lambda row: min(row[1].values())):
        cells = [
            promises.remarks[promise].get(tier.value)
            or ("yes" if tier in promises.tiers[promise] else "**no**")
            for tier in Tier
        ]
        yield f"| {promise} | {' | '.join(cells)} | {'; '.join(links(tests))} |"


def links(tests):
    """The files of these tests, each with the names of its tests."""
    for path, group in groupby(sorted(tests, key=tests.get), lambda name: tests[name][0]):
        yield f"[{path.name}]({path}): {', '.join(f'`{name}`' for name in group)}"


def page_with(rows):
    """SECURITY.md with these rows between its two marks."""
    text = PAGE.read_text(encoding="utf-8")
    between = re.escape(BEGIN) + ".*?" + re.escape(END)
    lines = "".join(f"{row}\n" for row in rows)
    assert re.search(between, text, re.DOTALL)
    return re.sub(between, lambda _: f"{BEGIN}\n{lines}\n{END}", text, flags=re.DOTALL)


def can_tell():
    """Whether this machine has every tier; without one, its column would be empty."""
    return all(tier_works(tier) for tier in Tier)


if __name__ == "__main__":
    if not can_tell():
        sys.exit("Error: this machine lacks a tier\nhint: install bubblewrap")
    rows = list(table())
    if "--write" in sys.argv:
        PAGE.write_text(page_with(rows), encoding="utf-8")
    else:
        print(*rows, sep="\n")
