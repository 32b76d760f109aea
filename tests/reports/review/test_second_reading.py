"""A blind second reading: the sheet, its import, and the agreement that follows from it."""

import csv
import io

from tests.console import softmark
from tests.processes import wait_for
from tests.reports.review.test_pages import at, decide
from tests.reports.review.test_sheet import written


def sheet_of(folder):
    text = (folder / "second-reading.csv").read_text("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_second_reader_sees_no_decision_and_the_agreement_is_shown(start, graded, handles):
    done = softmark("agreement", graded, "--again", "9")
    assert done.returncode == 2
    assert "no decided answers" in done.stderr
    running = start(graded)
    rea = running.visitor()
    for name, items in (("ada", ["1", "2"]), ("bob", ["1"]), ("cleo", ["none"])):
        decide(rea, at(handles, name), item=items, comment="A secret remark")
    start_page = rea.get("/").body
    assert "The files are not up to date yet." in start_page
    assert '<a href="/written">Written answers</a> need manual grading.' in start_page
    rea.post("/files")
    assert wait_for(lambda: "The files contain all changes." in rea.get("/").body)
    assert "All decisions are saved to the output files." in rea.get("/written").body
    done = softmark("agreement", graded, "--again", "9")
    assert done.returncode == 0, done.stderr
    assert "3 answers for a second reader" in done.stdout
    rows = sheet_of(graded)
    read = {handles["1b", name] for name in ("ada", "bob", "cleo")}
    assert {row["answer"] for row in rows} == read
    text = (graded / "second-reading.csv").read_text()
    assert not any(word in text for word in ("Rea", "secret", "ada", "cleo"))

    filled = {handles["1b", "ada"]: "1 2", handles["1b", "bob"]: "none", handles["1b", "cleo"]: ""}
    for row in rows:
        row["items"] = filled[row["answer"]]
    rea.send_sheet(written(rows))
    assert rea.status == 422
    assert "you decided this answer before" in rea.body
    sam = running.visitor("Sam")
    mixed = [dict(rows[0], seen="0"), *rows[1:]]
    sam.send_sheet(written(mixed))
    assert sam.status == 422
    assert "in all rows or in none" in sam.body
    sam.send_sheet(written(rows))
    assert sam.status == 303
    assert "2 decisions imported, 1 unchanged" in sam.get("/written").body
    assert "Sam" in sam.get(at(handles, "bob")).body

    done = softmark("agreement", graded)
    assert done.returncode == 0, done.stderr
    assert f"1b: different points for {handles['1b', 'bob']}\n" in done.stdout
    assert "its weight is then close to one" in " ".join(done.stdout.split())
    done = softmark("agreement", graded, "--again", "9")
    assert "1 answer for" in done.stdout
    assert [row["answer"] for row in sheet_of(graded)] == [handles["1b", "cleo"]]
