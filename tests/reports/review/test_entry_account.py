"""The one-time token: in no command line, used once, and only by one account."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from reports.review.web.account import is_own
from reports.review.web.server import redirect_file
from tests.reports.review.conftest import Visitor

ROOT = Path(__file__).parent.parent.parent.parent
SERVE = """
import signal, sys
from pathlib import Path
from reports.review import serve
signal.signal(signal.SIGTERM, signal.default_int_handler)
serve(Path(sys.argv[1]), reviewer="Rea")
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
def opened(graded, tmp_path):
    """A server that opened a browser: what the browser saw, and the process."""
    log, browser = tmp_path / "seen.json", tmp_path / "browser"
    browser.write_text(BROWSER.format(python=sys.executable, log=str(log)))
    browser.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, graded],
        cwd=ROOT,
        env=os.environ | {"BROWSER": f"{browser} %s"},
        stdout=subprocess.PIPE,
        text=True,
    )
    address = re.search(r"http://\S+", process.stdout.readline())[0]
    port = int(address.split(":")[2].split("/")[0])
    Visitor(port).get("/static/review.css")  # answered once the browser was opened
    yield json.loads(log.read_text()), address, process
    process.kill()
    process.wait(30)
    process.stdout.close()


@needs_proc
def test_a_browsers_command_line_holds_no_token(opened):
    seen, address, _ = opened
    assert address.partition("token=")[2] not in seen["argv"]
    assert address in seen["page"]


@needs_proc
def test_only_its_owner_reads_the_redirect(opened):
    seen, _, _ = opened
    assert seen["modes"] == [0o600, 0o700]


@needs_proc
def test_the_redirect_opens_once_and_is_removed(opened):
    seen, address, process = opened
    found = re.search('url=([^"]+)"', seen["page"])[1]
    port = int(address.split(":")[2].split("/")[0])
    Visitor(port).enter(found)
    assert Visitor(port).get("/" + found.split("/", 3)[3]).status == 403
    process.terminate()
    process.wait(30)
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
