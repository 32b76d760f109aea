"""Expected values are computed once for all submissions that one process grades."""

import os

import pytest

from graders.boundary import oracle
from graders.boundary.oracle import Oracle
from graders.boundary.side import Side
from graders.boundary.tiers.sandbox import best_tier
from graders.errors import GraderFault
from tests.graders.boundary.conftest import LIMITS

SOURCE = """
import uuid

CALLS = []

def drawn(size: int) -> list[str]:
    return [uuid.uuid4().hex] * size

def second() -> str:
    CALLS.append(1)
    if len(CALLS) == 1:
        raise ValueError("not yet")
    return "now"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An assignment with an oracle, and no replies of other tests."""
    monkeypatch.setattr(oracle, "_replies", {})
    (tmp_path / "oracle.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path


def drawn(folder, size=2, seed=1):
    """The reply to a submission that asks a process of its own."""
    with Oracle(Side(folder, "oracle"), LIMITS, seed=seed, tier=best_tier()) as process:
        return process.call("drawn", size=size)


def test_submissions_share_the_reply_to_an_equal_question(folder):
    first = drawn(folder)
    first.append("changed by one submission")
    assert drawn(folder) == first[:2]


@pytest.mark.parametrize("changed", [{"size": 3}, {"seed": 2}])
def test_another_question_is_asked(folder, changed):
    assert drawn(folder, **changed)[0] != drawn(folder)[0]


def test_a_changed_file_is_asked(folder):
    before, file = drawn(folder), folder / "oracle.py"
    os.utime(file, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns + 1))
    assert drawn(folder) != before


def test_no_error_is_shared(folder):
    with Oracle(Side(folder, "oracle"), LIMITS, seed=1, tier=best_tier()) as process:
        with pytest.raises(GraderFault, match="the oracle did not answer `second`: .*not yet"):
            process.call("second")
        assert process.call("second") == "now"


def test_replies_are_forgotten_before_they_fill_the_memory(folder, monkeypatch):
    monkeypatch.setattr(oracle, "SHARED_BYTES", 800)
    first = drawn(folder)
    drawn(folder, size=20)  # together, they would need more
    assert drawn(folder) != first
    assert sum(map(len, oracle._replies.values())) <= 800
