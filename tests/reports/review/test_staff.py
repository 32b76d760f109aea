"""The pages for staff: what they show of a real grading, and that each act is one stored row."""

import base64
import json
import os
import re
import signal
import subprocess
import sys

import pytest

from graders.storage.files import only_writer
from graders.storage.requests import code_of
from graders.storage.store import read_store, reopen_store
from tests.conftest import RIGHT, append, write_submission, write_tiny
from tests.console import ROOT, softmark
from tests.processes import wait_for
from tests.reports.chromium import needs_chromium
from tests.reports.conftest import assert_accessible, widest
from tests.reports.review.conftest import Visitor

HOSTILE = "<script>document.title='owned'</script>{{ 7*7 }} \u202eevil"
LATER = """
[[criterion]]
id = "later"
title = "A later criterion"
points = 3
kind = "metric"
visibility = "after_published"
"""
CHECK = '\n\n@pytest.mark.criterion("later")\ndef test_later(submitted):\n    """Later."""\n'
CODES = {
    "ada": "def double(x):\n    return 3 * x\n",
    "bob": "def double(x):\n    return 3 * x\n",
    "cleo": RIGHT,
    "dan": f"# {HOSTILE}\ndef double(x):\n    print('half way <b>')\n    return x.nothing\n",
}


def make_course(place):
    """Grade four students, two with one mistake, dan's code raises, and no upload."""
    assignment = write_tiny(place / "tiny")
    append(assignment / "assignment.toml", LATER)
    append(assignment / "checks.py", CHECK)
    places = '\n\ndef places():\n    return {"double": "`work.py`"}\n'
    append(assignment / "student_side.py", places)
    for name, code in CODES.items():
        answer = "41" if name == "ada" else "42"
        folder = write_submission(place / "uploads" / name, work_py=code, answer_txt=answer)
    (folder / "src").mkdir()
    (folder / "work.py").rename(folder / "src" / "work.py")
    (place / "uploads" / "eve.txt").write_text("This is no archive.")
    roster = place / "students.csv"
    roster.write_text(f'submission,name,email\nada,"Ada {HOSTILE}",ada@example.edu\n')
    words = ("--out", place / "out", "--roster", roster, "--executor", "serial")
    done = softmark("batch", assignment, place / "uploads", *words)
    assert done.returncode == 1, done.stderr
    assert "1 submission not accepted; the course page says why" in done.stdout


@pytest.fixture
def course(made_once):
    """The results of all five."""
    return made_once(make_course) / "out"


def code(out, name="ada"):
    with read_store(out) as store:
        return code_of(store.course_key(), name)


def page(server, name):
    """A student's page, once the files are written."""
    assert wait_for(lambda: not server.site.outputs.are_behind)
    return (server.site.review.folder / f"reports/{name}.html").read_text()


def test_staff_see_everything_and_each_act_is_stored_and_written(course, start):
    server = start(course, "/")
    rea, tom = server.visitor(), server.visitor("Tom")
    first = rea.get("/").body
    assert ("ada@example.edu" in first, "<script>doc" in first, "later, until" in first) == (
        False, False, True,
    )  # fmt: skip
    assert [f'/s/{name}"' in first for name in CODES] == [True] * 4
    assert '/s/bob"' not in rea.get("/?q=example.edu").body
    assert "A later criterion" in rea.get("/s/ada").body
    assert 'href="/s/ada/code#work.py"' in rea.body, "the file that the failed check judges"
    assert ("IDs for commands" in rea.body, "<code>doubles</code>" in rea.body) == (True, True)
    assert 'id="work.py"' in rea.get("/s/ada/code").body
    assert "half way &lt;b&gt;" in rea.get("/s/dan").body, "what the code printed"
    assert 'href="/s/dan/code#work.py%3A4"' in rea.body
    shown = rea.get("/s/dan/code").body
    assert ("src/work.py" in shown, 'failing" id="work.py:4"' in shown) == (True, True)
    assert "\\u202e" in shown
    assert "<script>doc" not in shown
    assert "A later criterion" not in rea.get("/s/ada/page").body, "the student's own page"
    assert "sha256-" in rea.answer_headers["content-security-policy"]
    rejected = rea.get("/?show=rejected").body
    assert ('/s/eve.txt"' in rejected, '/s/dan"' in rejected) == (True, False)
    assert "is not a supported archive" in rea.get("/s/eve.txt").body
    assert "Adjust" not in rea.body, "it was not accepted"
    assert "The upload cannot be shown" in rea.get("/s/eve.txt/code").body
    assert rea.get("/index.html").status == 200
    assert rea.get("/reports/ada.html").answer_headers["location"] == "/s/ada"
    assert rea.get("/tables/grades.csv").content == (course / "grades.csv").read_bytes()
    for path in ("/tables/store.sqlite", "/tables/..%2Fstudents.csv", "/store.html", "/s/fay"):
        assert rea.get(path).status == 404, path

    with reopen_store(course) as store:
        store.rename("cleo", "Cleo Patra")
    assert "Cleo Patra" in rea.get("/").body, "read from the store as it is now"

    three = {"criterion": "double", "action": "points", "points": "3", "comment": "Allowed."}
    for visitor in (rea, tom):
        visitor.get("/s/ada")
    assert rea.post("/s/ada/adjust", **three, seen=0, token="guess").status == 403
    assert rea.get("/s/ada").post("/s/ada/adjust", **three, seen=0).status == 303
    other = tom.post("/s/ada/adjust", **three | {"points": "1"}, seen=0)
    assert (other.status, "Rea adjusted ada, double in the meantime" in other.body) == (422, True)
    assert 'value="1"' in other.body, "what was typed is still there"
    wrong = rea.get("/s/ada").post("/s/ada/adjust", **three | {"points": "9"}, seen=1)
    assert (wrong.status, "0 to 4 points" in wrong.body) == (422, True)
    assert "set these points to 3; the checks give 0" in page(server, "ada")

    sent = {"comment": HOSTILE, "check": "doubles"}
    assert rea.get("/s/bob").post("/s/bob/comment", **sent).status == 303
    assert "2 with this mistake: commented" in rea.get("/s/bob").body
    commented = ["From the course staff" in page(server, name) for name in CODES]
    assert commented == [True, True, False, False]
    with read_store(course) as store:
        (adjusted,) = store.adjustments().all()
        comments = store.comments().shown()
    assert (adjusted.reviewer, adjusted.points, adjusted.comment) == ("Rea", 3.0, "Allowed.")
    assert [(row.submission, row.reviewer) for row in comments] == [("ada", "Rea"), ("bob", "Rea")]
    assert tom.get("/s/ada").post("/s/ada/comment", withdraw=comments[0].number).status == 303
    assert "From the course staff" not in page(server, "bob")


def test_a_release_is_signed_and_a_refused_form_keeps_its_text(course, start):
    server = start(course, "/")
    rea, tom = server.visitor(), server.visitor("Tom")
    both = {"criterion": "double", "action": "waive", "points": "3", "comment": "x", "seen": 0}
    assert rea.get("/s/ada").post("/s/ada/adjust", **both).status == 422
    assert "You typed points but chose something else" in rea.body
    rea.get("/").post("/release", released="yes")
    assert "<strong>are released</strong> by <bdi>Rea</bdi>" in tom.get("/").body
    assert "shown to students later" not in tom.get("/s/ada").body
    rea.get("/s/cleo")
    toml = course.parent / "tiny" / "assignment.toml"
    toml.write_text(f"nonsense = 1\n{toml.read_text()}")
    refused = rea.post("/s/cleo/comment", comment=HOSTILE)
    assert (refused.status, "nonsense" in refused.body, "&lt;script&gt;" in refused.body) == (
        409, True, True,
    ), "what was typed is on the page"  # fmt: skip


def test_requests_are_taken_and_answered_once_and_attachments_only_downloaded(course, start):
    server = start(course, "/")
    rea, tom = server.visitor(), server.visitor("Tom")
    pasted = f"Dear staff,\n{code(course).lower()} The Answer\n{HOSTILE}"
    assert rea.get("/requests").post("/requests", text="no request").status == 422
    assert "is not a request" in rea.body
    rea.get("/requests").post("/requests", text=pasted)
    assert "ada, answer: request imported" in rea.get("/requests").body
    assert "Dear staff," in rea.body
    listing = rea.get("/?show=requests").body
    assert ('/s/ada"' in listing, '/s/bob"' in listing) == (True, False)
    assert "<script>doc" not in rea.body
    attached = {"name": 'x"\r\n.html', "base64": base64.b64encode(b"<script>1</script>").decode()}
    sent = {"schema": "softmark/request/v1", "code": code(course, "bob"), "criterion": "double"}
    body = json.dumps(sent | {"reason": "See it.", "attachment": attached}).encode()
    rea.send_file("/requests", body)
    assert rea.status == 303
    rea.get("/requests/2/attachment")
    kind = ("content-type", "content-disposition", "x-content-type-options")
    assert [rea.answer_headers[header] for header in kind] == [
        "application/octet-stream", 'attachment; filename="request-2.html"', "nosniff",
    ]  # fmt: skip
    assert rea.content == b"<script>1</script>"
    for address in ("/requests/x/attachment", "/nowhere/at/all"):
        assert (rea.get(address).status, "There is no such page" in rea.body) == (404, True)
    for visitor in (rea, tom):
        visitor.get("/requests")
    assert rea.post("/requests/1", answer="granted", comment="", seen=0).status == 422
    rea.get("/requests").post("/requests/1", answer="granted", comment="Right.", seen=0)
    assert rea.answer_headers["location"] == "/s/ada"
    tom.post("/requests/1", answer="rejected", comment="No.", seen=0)
    assert (tom.status, "Rea replied in the meantime: granted" in tom.body) == (422, True)
    assert "Granted" in page(server, "ada")
    assert "<dt>Versions used by your code</dt>" in page(server, "ada")
    assert rea.get("/requests").post("/requests/9", answer="granted", comment="x").status == 404


def test_the_command_serves_and_what_is_not_in_the_files_yet_is_in_the_store(course):
    command = [sys.executable, "grade.py", "serve", course, "--no-browser", "--reviewer", "Rea"]
    serving = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://\S+", serving.stdout.readline())[0]
        rea = Visitor(int(address.split(":")[2].split("/")[0])).enter(address)
        with only_writer(course):  # as a grading that is running
            rea.get("/s/cleo").post("/s/cleo/comment", comment="Well done.")
            assert wait_for(lambda: "not up to date: another grading" in rea.get("/").body)
            assert softmark("requests", course).returncode == 0
        assert "Well done." in rea.get("/s/cleo").body
        assert "Well done." not in (course / "reports/cleo.html").read_text()
        rea.get("/").post("/files")
        assert wait_for(lambda: "The files contain all changes." in rea.get("/").body)
        assert "Well done." in (course / "reports/cleo.html").read_text()
        os.utime(course / "grades.csv", (0, 0))  # as after a kill between the store and the files
        assert "The files are not up to date yet." in rea.get("/").body
        serving.send_signal(signal.SIGINT)
        serving.wait(60)
        assert (course / "grades.csv").stat().st_mtime > 0, "written at the end"
    finally:
        serving.kill()
        serving.communicate(timeout=30)
    with read_store(course) as store:
        assert [row.comment for row in store.comments().shown()] == ["Well done."]


def says(page, text):
    page.get_by_role("status").filter(has_text=text).wait_for()
    page.wait_for_load_state()  # keys work from here on


def assert_readable(page, width):
    """With everything opened, it fits the window, is accessible, and ran no student's code."""
    for summary in page.locator("summary").all():
        summary.click()
    assert widest(page) == width, page.url
    assert_accessible(page)
    assert page.title() != "owned"


@pytest.mark.browser
@pytest.mark.slow
@needs_chromium
def test_a_student_is_adjusted_told_and_answered_in_a_browser_and_by_keys(course, start, visit):
    server = start(course, "/")
    home = f"http://127.0.0.1:{server.port}"
    page_ = visit(server)
    page_.keyboard.press("/")
    page_.keyboard.type("ada")
    page_.keyboard.press("Enter")
    page_.get_by_text("1 of 5 submissions").wait_for()
    page_.goto(f"{home}/?q=a")
    page_.get_by_text("2 of 5 submissions").wait_for()
    page_.locator(".students a").last.click()
    page_.get_by_text("2 of 2 found").wait_for()
    page_.wait_for_load_state()
    with page_.expect_navigation():
        page_.keyboard.press("k")
    page_.get_by_role("heading", level=1).filter(has_text="Ada").wait_for()
    page_.get_by_text("Adjust Doubling").focus()
    page_.keyboard.press("Enter")
    page_.locator("#c1").get_by_label("These points").focus()
    page_.keyboard.press("Tab")
    page_.keyboard.type("2.5")
    page_.keyboard.press("Tab")
    page_.keyboard.type("The handout allows it.")
    page_.keyboard.press("Tab")
    with page_.expect_navigation():
        page_.keyboard.press("Enter")
    says(page_, "0 -> 2.5")
    page_.keyboard.press("c")
    page_.keyboard.type("j is a letter here.")
    page_.get_by_label("To", exact=True).select_option(index=1)
    page_.get_by_role("button", name="Send comment").click()
    says(page_, "2 with this mistake")
    page_.get_by_role("link", name="Regrade requests", exact=True).click()
    page_.get_by_label("Text").fill(f"{code(course)} answer\n{HOSTILE}")
    page_.get_by_role("button", name="Import request").click()
    page_.get_by_label("Reply").fill("You are right.")
    page_.get_by_role("button", name="Grant").click()
    says(page_, "points have not changed")
    page_.goto(home)  # a list without a search
    page_.goto(f"{home}/s/ada")
    with page_.expect_navigation():
        page_.keyboard.press("j")
    page_.get_by_text("j is a letter here.", exact=True).wait_for()
    page_.goto(home)
    page_.get_by_role("button", name="Release to students").click()
    says(page_, "5 of 5 pages updated")
    assert "A later criterion" in page(server, "bob")
    assert ("2.5" in page(server, "ada"), "You are right." in page(server, "ada")) == (True, True)

    phone = visit(server, width=390, color_scheme="dark")
    for screen, width in ((page_, 1280), (phone, 390)):
        for path in ("/", "/s/ada", "/s/dan/code", "/requests"):
            screen.goto(home + path)
            assert_readable(screen, width)
    phone.goto(home)
    assert phone.locator(".students .id").first.is_visible()
    for _ in range(12):
        page_.keyboard.press("Tab")
        outline = "parseFloat(getComputedStyle(document.activeElement).outlineWidth)"
        assert page_.evaluate(outline) >= 2


def test_a_due_date_is_extended_on_the_page_and_what_was_typed_is_kept(course, start):
    toml = course.parent / "tiny" / "assignment.toml"
    due = "due = 2026-01-01T12:00:00Z\n"
    toml.write_text(f"{due}{toml.read_text()}\n[grading]\nlate_percent_per_day = 10\n")
    server = start(course, "/")
    rea, tom = server.visitor(), server.visitor("Tom")
    for visitor in (rea, tom):
        assert "days late, minus" in visitor.get("/s/ada").body
    later = {"due": "2999-01-01T12:00:00+00:00", "why": f"=ill {HOSTILE}", "seen": "0"}
    assert rea.post("/s/ada/extend", **later, token="guess").status == 403
    with only_writer(course):
        busy = rea.get("/s/ada").post("/s/ada/extend", **later)
    assert (busy.status, "another grading" in busy.body, "=ill &lt;s" in busy.body) == (
        422, True, True,
    )  # fmt: skip
    assert rea.get("/s/ada").post("/s/ada/extend", **later).status == 303
    assert "extended to" in rea.get("/s/ada").body
    assert "<script>doc" not in rea.body
    assert "days late" not in rea.body
    body = rea.get("/s/bob").body
    assert ("days late, minus" in body, "Final grade " in body) == (True, True)
    overtaken = tom.post("/s/ada/extend", **later | {"due": "2998-01-01T12:00:00Z", "why": "mine"})
    assert (overtaken.status, "Rea changed the due date of ada@" in overtaken.body) == (422, True)
    assert ('value="2998-01-01T12:00:00Z"' in overtaken.body, ">mine</te" in overtaken.body) == (
        True, True,
    )  # fmt: skip
    assert (course / "extensions.csv").read_text().count("ada@example.edu") == 1
    assert tom.get("/s/bob").post("/s/bob/extend", **later, comment="").status == 303, "not bob's"
    for visitor in (rea, tom):
        assert "Late days</summary>" in visitor.get("/s/cleo").body
    assert rea.post("/s/cleo/late-days", days="two", why="why", seen="").status == 422
    assert ">why</textarea>" in rea.body
    assert ("`two` is not a whole number" in rea.body, 'value="two"' in rea.body) == (True, True)
    assert rea.post("/s/cleo/late-days", days="2", why="Ill.", seen="").status == 303
    assert "2 late days used, minus" in rea.get("/s/cleo").body
    assert "cleo,2,Rea" in (course / "late_days.csv").read_text()
    overtaken = tom.post("/s/cleo/late-days", days="1", seen="")
    assert (overtaken.status, "cleo has other late days by now: 2 (Rea)" in overtaken.body) == (
        422, True,
    )  # fmt: skip
    assert rea.post("/s/cleo/late-days", days="", seen="2 (Rea)").status == 303
    assert "late days used" not in rea.get("/s/cleo").body
    first, second = (course / "late_days.csv").read_text().splitlines()[1:]
    assert (first[:11], first[-5:], second[:10]) == ("cleo,2,Rea,", ",Ill.", "cleo,,Rea,")
    (course / "late_days.csv").write_text("student,days,by\ncleo,1,late-days\n")
    reply = rea.get("/s/cleo").post("/s/cleo/late-days", days="", seen="1 (late-days)")
    assert reply.status == 303
    assert "cleo,1,late-days" in (course / "late_days.csv").read_text(), "the bank has decided"
    toml.write_text(toml.read_text().removeprefix(due))
    assert "no due date" in tom.get("/s/ada").body


def test_who_left_is_marked_on_the_page(course, start):
    server = start(course, "/")
    rea, tom = server.visitor(), server.visitor("Tom")
    for visitor in (rea, tom):
        assert "Mark as dropped" in visitor.get("/s/bob").body
    form = {"student": "bob", "status": "dropped", "why": HOSTILE, "seen": 0}
    assert rea.post("/s/bob/drop", **form, token="guess").status == 403
    refused = rea.get("/s/bob").post("/s/bob/drop", **form | {"why": "y" * 2001})
    assert (refused.status, ">yyy" in refused.body) == (422, True)
    assert rea.get("/s/bob").post("/s/bob/drop", **form).status == 303
    shown = rea.get("/s/bob").body
    assert ("(dropped)" in shown, "Mark as enrolled" in shown) == (True, True)
    assert ("marked <bdi>bob</bdi> as dropped" in shown, "<script>doc" in shown) == (True, False)
    late = tom.post("/s/bob/drop", **form | {"status": "enrolled"})
    assert (late.status, "Rea marked bob as dropped in the meantime" in late.body) == (422, True)
    assert wait_for(lambda: not server.site.outputs.are_behind)
    assert "dropped" not in (course / "reports/bob.html").read_text()
    undone = tom.get("/s/bob").post("/s/bob/drop", **form | {"status": "enrolled", "seen": 1})
    assert (undone.status, "Mark as dropped" in tom.get("/s/bob").body) == (303, True)
    signed = [row.split(",")[:3] for row in (course / "dropped.csv").read_text().splitlines()[1:]]
    assert signed == [["bob", "dropped", "Rea"], ["bob", "enrolled", "Tom"]]


def test_a_submission_is_merged_and_separated_on_the_page(course, start):
    server = start(course, "/")
    rea, tom = server.visitor(), server.visitor("Tom")
    for visitor in (rea, tom):
        assert "only submission" in visitor.get("/s/bob").body
    form = {"into": "nobody", "attempts": "best", "why": HOSTILE, "seen": 0}
    assert rea.post("/s/bob/merge", **form, token="guess").status == 403
    for words, problem in (("nobody", "no submission of `nobody`"), ("", "Write whose it is")):
        refused = rea.get("/s/bob").post("/s/bob/merge", **form | {"into": words})
        assert (refused.status, problem in refused.body) == (422, True)
        assert ("&lt;script&gt;" in refused.body, "best" in refused.body) == (True, True)
        assert 'value="best" selected' in refused.body
    assert not (course / "merged.csv").exists()
    merged = rea.get("/s/bob").post("/s/bob/merge", **form | {"into": "ADA@example.edu"})
    assert (merged.status, merged.answer_headers["location"]) == (303, "/s/bob#attempts")
    shown = rea.get("/s/bob").body
    assert "ada (does not count), bob (counts)" in shown, "bob's answer is the better one"
    assert ("ada@example.edu" in shown, "<script>doc" in shown) == (True, False)
    assert "merged <bdi>bob</bdi> into <bdi>ada</bdi>; the best one counts" in shown
    assert 'value="best" selected' in rea.get("/s/cleo").body, "as for the student before"
    assert rea.get("/s/ada").status == 404
    assert wait_for(lambda: not server.site.outputs.are_behind)
    assert "ada@example.edu" in (course / "results/bob.json").read_text()
    late = tom.post("/s/bob/merge", **form | {"into": "cleo"})
    assert (late.status, "Rea merged bob into ada in the meantime" in late.body) == (422, True)
    undone = tom.get("/s/bob").post("/s/bob/merge", separate="bob", seen=1)
    assert (undone.status, "bob belongs to bob again" in tom.get("/s/bob").body) == (303, True)
    assert rea.get("/s/ada").status == 200
    signed = [row.split(",")[3] for row in (course / "merged.csv").read_text().splitlines()[1:]]
    assert signed == ["Rea", "Tom"]
