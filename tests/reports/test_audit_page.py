"""The page and the terminal's text of an audit: escaped, complete, usable on a phone."""

import io

import pytest

from graders.audited import (
    AttackRow,
    Audit,
    Change,
    CheckFlips,
    KilledMutant,
    LostRewrite,
    Mutations,
    Null,
    Nulls,
    Rate,
    Rewrites,
    Steadiness,
    Survivor,
)
from reports.audit import write_audit
from reports.terminal import audit as terminal_audit
from reports.terminal.results import OUT
from tests.reports.chromium import needs_chromium
from tests.reports.conftest import SCREENS, assert_usable

HOSTILE = "<script>alert(1)</script>\x1b[2J"
LONG = "x = " + "a_long_name_without_a_space" * 9


def change(name):
    diff = f"@@ -1 +1 @@\n-{LONG}\n+{HOSTILE}"
    return Change(name, "dim", "solution", "work.py", HOSTILE, diff)


@pytest.fixture
def audit():
    rates = (Rate("rows", 3, 4, 0.3, 0.95), Rate(HOSTILE, 1, 1, 0.2, 1.0))
    survivors = (
        Survivor(change("new"), 0.75, ("rows",), ("style",)),
        Survivor(change("known"), 0.5, ("rows",), (), "equivalent", f"It is {HOSTILE}."),
    )
    killed = (KilledMutant(change("seen"), {"rows": 1.5}, ("wrong-axis",)),)
    lost = LostRewrite(change("rewritten"), {"rows": 2.0}, {"rows-sum": HOSTILE})
    return Audit(
        "toy",
        HOSTILE,
        7,
        1.0,
        Mutations(90, 5, 4, rates, rates, survivors, killed, 1, (HOSTILE,), ("gone",)),
        Rewrites(3, 3, (lost,)),
        Nulls(2, 0.1, (Null("return-ones", {"rows": 0.25, "shift": 0.0}),)),
        Steadiness(2, 5, 2, (CheckFlips("rows-sum", 10, 1, 0.39, (HOSTILE,)),)),
        (HOSTILE,),
        (AttackRow("peek", HOSTILE, False),),
    )


PARTS = ("new", "known", "wrong-axis", "rewritten", "rows-sum", "return-ones", "gone", "peek")


def test_the_page_has_every_part_and_runs_no_text_of_others(audit, tmp_path):
    audit_page = write_audit(audit, tmp_path)
    text = audit_page.read_text()
    assert "<script>alert" not in text
    assert "\x1b" not in text
    for part in (*PARTS, "39.0%", "4 of 5 graded", "25%"):
        assert part in text, part


@needs_chromium
@pytest.mark.browser
@SCREENS
def test_the_page_is_accessible_and_does_not_scroll_sideways(visit, audit, tmp_path, width, scheme):
    assert_usable(visit(write_audit(audit, tmp_path), width, color_scheme=scheme), width)


@pytest.mark.parametrize("width", [40, 120])
def test_the_terminal_shows_what_to_look_at(audit, monkeypatch, width):
    shown = io.StringIO()
    monkeypatch.setattr(OUT, "_width", width)
    monkeypatch.setattr(OUT, "_file", shown)
    terminal_audit.show_audit(audit)
    text = " ".join(shown.getvalue().split())
    assert "\x1b[2J" not in text
    assert max(map(len, shown.getvalue().splitlines())) <= width
    for words in ("1 are new", "return-ones earns 25% of rows", "rows -2", "39.0%", "gone", "peek"):
        assert words in text, words
