"""The page of shared passages shows facts to staff, runs no text of others, and fits a phone."""

import json
import re

import pytest

from graders.similarity.pairs import (
    BINS,
    Excerpt,
    Pair,
    SharedFile,
    SharedPassage,
    Shares,
    Similarity,
)
from reports.similarity import write_similarity
from tests.reports.chromium import needs_chromium
from tests.reports.conftest import SCREENS, assert_usable

HOSTILE = "<script>alert(1)</script>\x1b[2J\ud800"
LONG = "\tx = " + "a_long_name_without_a_space" * 9


@pytest.fixture
def found():
    excerpt = Excerpt(HOSTILE, 7, 9, (HOSTILE, LONG))
    passages = tuple(SharedPassage(k, 31, excerpt, excerpt) for k in ("code", "answers"))
    pair = Pair("ada", HOSTILE, True, Shares(0.6, 0.2), Shares(0, 0), 3, passages)
    plain = Pair("ada", "bob", False, Shares(0, 0.04), Shares(0.03, 0))
    bins = (43_000, *[0] * (BINS - 2), 1)
    return Similarity(
        submissions=300,
        past=1,
        pairs=44_850,
        linked=1,
        distributions={"code": bins, "answers": bins},
        left_out={"code": 5, "answers": 6},
        ranked=(pair, plain),
        groups=(("ada", HOSTILE),),
        files=(SharedFile(HOSTILE, 300, 44_850, 2, 1, (("ada", HOSTILE),)),),
        notes=((HOSTILE, HOSTILE),),
    )


def test_the_page_has_every_part_and_runs_no_text_of_others(found, tmp_path):
    text = write_similarity(found, tmp_path).read_text()
    assert "<script>alert" not in text
    assert "\x1b" not in text
    for part in ("44,850", "60% / 20%", "43,000", "31 tokens of code", "lines 7–9", "0.0067%"):
        assert part in text, part
    assert "cannot say" in text


def test_the_page_gives_no_verdict(found, tmp_path):
    text = write_similarity(found, tmp_path).read_text()
    assert not re.search(r"plagiar|cheat|misconduct|suspic|\bcopied\b|\bAI\b", text, re.IGNORECASE)


def test_the_json_file_has_the_same_content(found, tmp_path):
    write_similarity(found, tmp_path)
    written = json.loads((tmp_path / "similarity.json").read_text())
    assert written["schema"] == "softmark/similarity/v1"
    assert written["ranked"][0]["code"] == {"one": 0.6, "other": 0.2}
    assert written["distributions"]["code"][0] == 43_000


@needs_chromium
@pytest.mark.browser
@SCREENS
def test_the_page_is_accessible_and_does_not_scroll_sideways(visit, found, tmp_path, width, scheme):
    assert_usable(visit(write_similarity(found, tmp_path), width, color_scheme=scheme), width)
