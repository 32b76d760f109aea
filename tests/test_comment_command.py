"""`comment` writes to one student or to all who made one mistake, and takes it back."""

import contextlib
import sqlite3
from functools import partial

import pytest

from commands.deciding import comment
from graders.errors import UsageError
from graders.storage.store import FILE
from tests.conftest import edit
from tests.console import softmark

HOSTILE = "<script>alert(1)</script> \x1b[31m See {{ 7 }}."


@pytest.fixture
def out(tiny_folder, hand_in, tmp_path):
    """The results of ada and bob, who made one mistake, and of cleo, who made none."""
    for name, factor in (("ada", 3), ("bob", 3), ("cleo", 2)):
        hand_in(name, work_py=f"def double(x):\n    return {factor} * x\n", answer_txt="42")
    words = ("batch", tiny_folder, tmp_path / "uploads", "--out", tmp_path / "out")
    softmark(*words, "--executor", "serial")
    return tmp_path / "out"


def readers(out):
    """Who reads a comment on their page."""
    pages = {name: (out / f"reports/{name}.html").read_text() for name in ("ada", "bob", "cleo")}
    assert not any("Rea" in page or "<script>alert" in page for page in pages.values())
    return [name for name, page in pages.items() if "From the course staff" in page]


def test_comments_are_on_pages_stay_in_the_store_and_can_be_withdrawn(out, tiny_folder, capfd):
    def printed():
        done = capfd.readouterr()
        return " ".join((done.out + done.err).split())

    rea = partial(comment, out, reviewer="Rea")
    comment(out)
    assert "no comments" in printed()
    for _ in range(2):
        rea("ada", comment=HOSTILE)
    assert "ada: commented ada: this comment is stored already" in printed()
    assert readers(out) == ["ada"]
    monday = {"check": "doubles", "comment": "We talk about it on Monday."}
    rea("bob", **monday)
    assert "2 with this mistake: commented (double: Times two.)" in printed()
    assert readers(out) == ["ada", "bob"]
    comment(out)
    listed = printed()
    assert (listed.count("Times two."), "ada, bob" in listed) == (1, True), "one row for both"
    for words, options, sentence in (
        (("cleo",), monday, "names no mistake of cleo"),
        (("dan",), {"comment": "Hello"}, "no submission of `dan`"),
        (("ada",), {"comment": "x", "undo": True}, "--undo goes without"),
        (("ada",), {"comment": "x" * 2001}, "at most 2,000"),
    ):
        with pytest.raises(UsageError, match=sentence):
            rea(*words, **options)

    edit(tiny_folder / "checks.py", "Times two.", "Twice.")
    softmark("regrade", tiny_folder, "--out", out, "--publish", "--executor", "serial")
    assert readers(out) == ["ada", "bob"], "kept in a regrade"
    rea("ada", undo=True)
    assert "2 submissions: comment withdrawn" in printed()
    assert readers(out) == ["ada"]
    with contextlib.closing(sqlite3.connect(out / FILE)) as connection:
        assert connection.execute("SELECT count(*) FROM comments").fetchone() == (5,)
        with pytest.raises(sqlite3.IntegrityError, match="a comment is never removed"):
            connection.execute("DELETE FROM comments")
    softmark("forget", out, "ada", "--yes")
    assert b"{{ 7 }}" not in (out / FILE).read_bytes()
    comment(out)
    assert "no comments" in printed()
