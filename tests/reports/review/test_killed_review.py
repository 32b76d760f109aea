"""A server that is killed or interrupted loses nothing."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from graders.storage.store import read_store
from tests.reports.review.conftest import Visitor
from tests.reports.review.test_pages import at, decide

ROOT = Path(__file__).parent.parent.parent.parent
CODE = """
import signal, sys
from pathlib import Path
from reports.review import serve
signal.signal(signal.SIGTERM, signal.default_int_handler)  # as grade.py does
serve(Path(sys.argv[1]), port=0, reviewer="Rea", open_browser=False)
"""


@pytest.fixture
def served(graded):
    """Start a server in a process of its own; its first visitor, and the process."""
    processes = []

    def run():
        process = subprocess.Popen(
            [sys.executable, "-c", CODE, graded], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        processes.append(process)
        address = re.search(r"http://\S+", process.stdout.readline())[0]
        port = int(address.split(":")[2].split("/")[0])
        return Visitor(port).enter(address), process

    yield run
    for process in processes:
        process.kill()
        process.wait(30)
        process.stdout.close()


def test_a_killed_server_loses_nothing(served, handles, graded):
    visitor, process = served()
    decide(visitor, at(handles, "ada"), item=["1"], comment="Kept.")
    process.send_signal(signal.SIGKILL)
    process.wait(30)
    visitor, _ = served()
    page = visitor.get(at(handles, "ada"))
    assert "Kept." in page.body
    assert "Decisions on 1 submission are not in the output files yet" in visitor.get("/").body
    visitor.post("/undo")
    assert "0 of 8 answers decided" in visitor.get("/").body


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_server_that_ends_writes_the_grades(served, handles, graded, name):
    visitor, process = served()
    for question in ("1b", "c.ii"):
        decide(visitor, at(handles, "ada", question), item=["1"])
    os.kill(process.pid, getattr(signal, name))
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "decisions of 1 submission are now in" in " ".join(said.split())
    assert ",4,5," in (graded / "grades.csv").read_text()
    with read_store(graded) as store:
        assert store.member_result(1, "ada").score == 4.0


def test_an_old_cookie_opens_no_new_server(served, graded):
    visitor, process = served()
    process.kill()
    process.wait(30)
    fresh, _ = served()
    assert Visitor(fresh.port, visitor.headers).get("/").status == 403
