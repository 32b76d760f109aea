"""Access: one token, one browser, this machine's own name, forms from our own pages."""

import http.client

import pytest

from graders.errors import UsageError
from reports.review.web.server import listen
from tests.reports.review.conftest import Visitor


def test_nothing_is_shown_without_a_token_and_it_opens_once(start, graded):
    server = start(graded)
    stranger = Visitor(server.port)
    for path in ("/", "/written", "/q/1b", "/decisions.csv"):
        assert stranger.get(path).status == 403
        assert "large margin" not in stranger.body
    assert stranger.get("/enter?token=guess").status == 403
    address = server.invite("Rea")
    cookie = Visitor(server.port).enter(address).answer_headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert stranger.get("/" + address.split("/", 3)[3]).status == 403


def test_another_hosts_name_or_too_much_is_refused(rea):
    for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", ""):
        assert rea.get("/", Host=host).status == 421, host
        assert "Two questions" not in rea.body
    for host in ("localhost:9000", "127.0.0.1"):
        assert rea.get("/", Host=host).status == 200, host
    assert rea.ask("POST", "/undo", iter([b"a"]), **{"Transfer-Encoding": "chunked"}).status == 413
    connection = http.client.HTTPConnection("127.0.0.1", rea.port, timeout=30)
    connection.putrequest("POST", "/undo")
    connection.putheader("Content-Length", str(2**40))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_a_browser_that_hangs_up_is_no_error(capfd, rea):
    connection = http.client.HTTPConnection("127.0.0.1", rea.port, timeout=30)
    connection.putrequest("POST", "/undo")
    headers = {"Content-Length": "999", "Content-Type": "application/x-www-form-urlencoded"}
    for name, value in (rea.headers | headers).items():
        connection.putheader(name, value)
    connection.endheaders(b"token=")
    assert rea.get("/written").status == 200  # the server has begun to read the form
    connection.close()
    assert rea.get("/written").status == 200
    assert "Traceback" not in capfd.readouterr().err


def test_a_form_or_a_decision_of_another_page_is_refused(rea, handles):
    for path in ("/undo", "/view", "/invite", "/write", "/decisions.csv"):
        rea.get("/written")
        assert rea.post(path, token="guess").status == 403, path
    address = f"/q/1b/{handles['1b', 'ada']}"
    rea.get(address).post(address, token="guess", item="1")
    assert rea.status == 403
    assert "0 of 8 answers decided" in rea.get("/written").body


def test_odd_forms_are_read(rea):
    """Many fields of one name, and half of a character, which no table stores."""
    token = rea.get("/written").token
    assert rea.post("/view", member=["1"] * 40_000).status == 303
    half = b"".join(
        b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % field
        for field in ((b"token", token.encode()), (b"reviewer", rb"\ud800 Tom"))
    )
    kind = "multipart/form-data; boundary=b; charset=unicode_escape"
    rea.ask("POST", "/invite", half + b"--b--\r\n", **{"Content-Type": kind})
    address = rea.body.split("<code>http", 1)[1].split("</code>")[0]
    other = Visitor(rea.port).enter("http" + address)
    assert "You are <bdi>? Tom</bdi>" in other.get("/written").body


def test_every_answer_says_what_may_run_and_only_our_files_are_served(rea):
    for path in ("/", "/enter?token=x", "/static/review.js", "/nothing"):
        headers = rea.get(path).answer_headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy, path
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers
    assert rea.get("/static/review.css").status == 200
    assert rea.get("/static/..%2f..%2f..%2fgrade.py").status == 404
    assert rea.get("/static/conftest.py").status == 404
    assert rea.get(f"/submissions-{'9' * 300}.html").status == 404


def test_a_second_reviewer_is_let_in_by_the_first(rea):
    page = rea.get("/written").post("/invite", reviewer="  Tom \n B. ")
    address = page.body.split("<code>http", 1)[1].split("</code>")[0]
    other = Visitor(rea.port).enter("http" + address)
    assert "You are <bdi>Tom B.</bdi>" in other.get("/written").body


def test_only_this_machine_is_listened_to_and_a_port_in_use_is_named():
    with listen(0) as taken:
        assert taken.getsockname()[0] == "127.0.0.1"
        with pytest.raises(UsageError, match="cannot be used"):
            listen(taken.getsockname()[1])
