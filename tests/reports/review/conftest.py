"""A small written assignment, Results that need manual grading, and servers for them."""

import contextlib
import http.client
import json
import re
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest

from graders import scoring
from graders.course.review import open_review
from graders.model import Check, CheckResult, Result, Submission
from graders.registry.discovery import load_assignment
from graders.storage.store import CacheKey, open_store
from graders.written.free_text.similarity import TfIdf
from reports.review.views.help import Help
from reports.review.web.server import entry, listen, make_server
from reports.review.web.site import Site
from tests.conftest import LIMITS, write_files

ASSIGNMENT = f"""
name = "essay"
title = "Two questions"
version = 1
seed = 7
{LIMITS}
[files]
code = []
artifacts = []
"""

WRITTEN = """
[[question]]
id = "1b"
title = "Copying a value"
prompt = "Say when attention copies one value.\\nOne or two sentences."
  [question.review]
  points = 3
    [[question.review.item]]
    points = 2
    text = "one score exceeds all others by a large margin"
    phrases = ["much larger", "dominates"]
    [[question.review.item]]
    points = 1
    text = "its weight is then close to one"
    phrases = ["weight close to one"]

[[question]]
id = "c.ii"
title = "Why several heads"
prompt = "Say what a second head is good for."
  [question.review]
  points = 2
    [[question.review.item]]
    points = 2
    text = "each head attends to something else"
"""

LARGE = "The score of one key is much larger than all others. Its weight is close to one."
HEADS = "Each head can look at another place, and their values are put together."
ANSWERS = {
    "ada": (LARGE, HEADS),
    "bob": (LARGE, "Two heads are more than one."),
    "cleo": ("The query is a key.", HEADS),
    "dan": (LARGE.replace(" ", "  "), "They are faster."),
}


def a_result(assignment, name, texts):
    """What grading gives of these answers; an answer that is None was not given."""
    checks = []
    for criterion, text in zip(assignment.rubric, texts, strict=True):
        check = Check(f"{criterion.id}/review", criterion.title, criterion.id, criterion.points)
        waits = CheckResult(check, "needs_review", 0.0, "A person decides.", actual=text or "")
        checks.append(waits if text else CheckResult(check, "failed", 0.0, "Not answered."))
    criteria = tuple(scoring.criterion_result(criterion, checks) for criterion in assignment.rubric)
    return Result(
        submission=Submission(name, name, assignment.name, assignment.folder, "0" * 64, None),
        assignment=assignment.name,
        version=assignment.version,
        title=assignment.title,
        status=scoring.result_status(criteria),
        criteria=criteria,
        score=scoring.total(criteria),
        max_score=sum(criterion.points for criterion in assignment.rubric),
        environment={},
        started_at=datetime(2025, 3, 1, tzinfo=UTC),
        seconds=0.1,
    )


@pytest.fixture
def essay(tmp_path):
    """The written assignment."""
    files = {"assignment.toml": ASSIGNMENT, "written.toml": WRITTEN}
    return load_assignment(str(write_files(tmp_path / "essay", files)))


@pytest.fixture
def grade(essay, tmp_path):
    """`grade(ada=(text, text))` stores Results of these answers, and returns the folder.

    `result_of(assignment, name, texts)` makes each; by default, one that waits for a person.
    """

    def store_results(address="address", result_of=a_result, **answers):
        options = json.dumps({"assignment": str(essay.folder)})
        with open_store(tmp_path / "out") as store:
            generation = store.begin(essay, "checks")
            for name, texts in answers.items():
                key = CacheKey(
                    address, options, {criterion.id: "key" for criterion in essay.rubric}
                )
                store.put(generation, result_of(essay, name, texts), key)
        return tmp_path / "out"

    return store_results


@pytest.fixture
def graded(grade):
    """A folder with four submissions of two answers each."""
    return grade(**ANSWERS)


@dataclass
class Visitor:
    """A client that keeps its cookie, as a browser does, and reads forms out of pages."""

    port: int
    headers: dict = field(default_factory=dict)
    body: str = ""
    status: int = 0
    answer_headers: dict = field(default_factory=dict)
    content: bytes = b""

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, body, self.headers | headers)
            answer = connection.getresponse()
            self.content = answer.read()
            self.body = self.content.decode(errors="replace")
            self.status, self.answer_headers = answer.status, dict(answer.headers)
        return self

    def get(self, path, **headers):
        return self.ask("GET", path, **headers)

    def enter(self, address):
        self.get("/" + address.split("/", 3)[3])
        self.headers["Cookie"] = self.answer_headers["set-cookie"].split(";")[0]
        return self

    @property
    def token(self):
        return re.search(r'name="token" value="([^"]+)"', self.body)[1]

    def post(self, path, **fields):
        """Post with the form token of the page that was read last."""
        fields = {"token": self.token} | fields
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", path, urlencode(fields, doseq=True), **kind)

    def send_sheet(self, content, token=None):
        return self.send_file("/decisions.csv", content, token, "sheet")

    def send_file(self, path, content, token=None, field="file"):
        token = token or self.get("/written").token
        parts = f'--b\r\nContent-Disposition: form-data; name="token"\r\n\r\n{token}\r\n--b\r\n'
        parts += f'Content-Disposition: form-data; name="{field}"; filename="d"\r\n\r\n'
        body = parts.encode() + content + b"\r\n--b--\r\n"
        kind = {"Content-Type": "multipart/form-data; boundary=b"}
        return self.ask("POST", path, body, **kind)


@dataclass
class Running:
    """A server in a thread of this process."""

    port: int
    site: Site

    def invite(self, reviewer):
        return entry(self.site, reviewer)

    def visitor(self, reviewer="Rea"):
        return Visitor(self.port).enter(self.invite(reviewer))


@pytest.fixture
def start():
    """`start(folder)` serves the review of a folder until the test ends."""
    with contextlib.ExitStack() as stack:
        yield lambda *words: stack.enter_context(running(*words))


@contextlib.contextmanager
def running(folder, home="/written"):
    listening = listen(0)
    started = []
    ready = threading.Event()

    def work():  # SQLite's connections stay in the thread that made them
        with open_review(folder) as review:
            site = Site(review, listening.getsockname()[1], help=Help(TfIdf), home=home)
            started.extend((site, make_server(site)))
            ready.set()
            started[1].run(sockets=[listening])
            site.help.close()

    thread = threading.Thread(target=work)
    thread.start()
    assert ready.wait(30)
    try:
        yield Running(listening.getsockname()[1], started[0])
    finally:
        started[1].should_exit = True
        thread.join(30)
        listening.close()


@pytest.fixture
def rea(start, graded):
    """A visitor who was let in, over four submissions."""
    return start(graded).visitor()


@pytest.fixture
def handles(graded):
    """The handle of each submission's answer to a question."""
    with open_review(graded) as review:
        return {
            (name, answer.submission): answer.handle
            for name, answers in review.material.answers.items()
            for answer in answers.values()
        }


@pytest.fixture
def visit(browser):
    """Let somebody in; complaints are what the browser refused, or asked another host for."""
    contexts, pages = [], []

    def open_(server, reviewer="Rea", width=1280, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.complaints = []
        home = f"http://127.0.0.1:{server.port}/"
        page.on("console", lambda m: "(Unprocessable" in m.text or page.complaints.append(m.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("request", lambda r: r.url.startswith(home) or page.complaints.append(r.url))
        page.goto(server.invite(reviewer))
        page.wait_for_url(f"http://127.0.0.1:{server.port}{server.site.home}")
        pages.append(page)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert [page.complaints for page in pages if page.complaints] == []
