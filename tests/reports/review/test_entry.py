"""Access: one token, one browser, this machine's own name, forms from our own pages."""

import http.client

import pytest

from graders.errors import UsageError
from reports.review.web.server import listen
from tests.reports.review.conftest import Visitor


def test_nothing_is_shown_without_a_token(start, graded):
    stranger = Visitor(start(graded).port)
    for path in ("/", "/q/1b", "/decisions.csv"):
        assert stranger.get(path).status == 403
        assert "large margin" not in stranger.body
    assert stranger.get("/enter?token=guess").status == 403


def test_a_token_opens_once(start, graded):
    server = start(graded)
    address = server.invite("Rea")
    Visitor(server.port).enter(address)
    assert Visitor(server.port).get("/" + address.split("/", 3)[3]).status == 403


def test_no_script_and_no_other_site_gets_the_cookie(start, graded):
    server = start(graded)
    visitor = server.visitor()
    cookie = visitor.answer_headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_another_hosts_name_is_refused(rea, host):
    assert rea.get("/", Host=host).status == 421
    assert "Two questions" not in rea.body


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1"])
def test_a_tunnel_to_this_machine_is_not(rea, host):
    assert rea.get("/", Host=host).status == 200


@pytest.mark.parametrize("path", ["/undo", "/view", "/invite", "/write", "/decisions.csv"])
def test_a_form_of_another_page_is_refused(rea, path):
    rea.get("/")
    assert rea.post(path, token="guess").status == 403


def test_a_decision_of_another_page_is_refused(rea, handles):
    address = f"/q/1b/{handles['1b', 'ada']}"
    rea.get(address).post(address, token="guess", item="1")
    assert rea.status == 403
    assert "0 of 8 answers decided" in rea.get("/").body


def test_too_much_or_endless_is_not_read(rea):
    assert rea.ask("POST", "/undo", iter([b"a"]), **{"Transfer-Encoding": "chunked"}).status == 413
    connection = http.client.HTTPConnection("127.0.0.1", rea.port, timeout=30)
    connection.putrequest("POST", "/undo")
    connection.putheader("Content-Length", str(2**40))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.parametrize("path", ["/", "/enter?token=x", "/static/review.js", "/nothing"])
def test_every_answer_says_what_may_run(rea, path):
    headers = rea.get(path).answer_headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers


def test_only_our_files_are_served(rea):
    assert rea.get("/static/review.css").status == 200
    assert rea.get("/static/..%2f..%2f..%2fgrade.py").status == 404
    assert rea.get("/static/conftest.py").status == 404


def test_a_second_reviewer_is_let_in_by_the_first(rea):
    page = rea.get("/").post("/invite", reviewer="  Tom \n B. ")
    address = page.body.split("<code>http", 1)[1].split("</code>")[0]
    other = Visitor(rea.port).enter("http" + address)
    assert "You are <bdi>Tom B.</bdi>" in other.get("/").body


def test_a_port_in_use_is_named():
    with listen(0) as taken, pytest.raises(UsageError, match="cannot be used"):
        listen(taken.getsockname()[1])


def test_only_this_machine_is_listened_to():
    with listen(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"
