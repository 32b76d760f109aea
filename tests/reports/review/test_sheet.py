"""The CSV is exported, changed and imported, or rejected with one line per error."""

import csv
import io

import pytest

from tests.reports.review.test_pages import at, decide


def taken(visitor):
    text = visitor.get("/decisions.csv").content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def written(rows, **style):
    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, list(rows[0]), **style)
    writer.writeheader()
    writer.writerows(rows)
    return table.getvalue().encode()


def fill(rows, handle, **cells):
    for row in rows:
        if row["answer"] == handle:
            row.update(cells)
    return rows


def test_what_comes_out_goes_in_unchanged_a_row_an_answer_and_no_names(rea, handles):
    rows = taken(rea)
    assert {(row["question"], row["answer"]) for row in rows} == {
        (question, handle) for (question, _), handle in handles.items()
    }
    assert {row["submission"] for row in rows} == {""}
    rea.get("/written").post("/view", show="names", back="/")
    assert {row["submission"] for row in taken(rea)} == {"ada", "bob", "cleo", "dan"}
    decide(rea, at(handles, "ada"), item=["1"], adjustment="-0.5", comment="=1+1\n'quoted'")
    decide(rea, at(handles, "bob"), item=["none"])
    before = taken(rea)
    rea.send_sheet(written(before))
    assert rea.status == 303
    assert taken(rea) == before
    assert "0 decisions imported, 8 unchanged" in rea.get("/written").body


@pytest.mark.parametrize("style", [{}, {"delimiter": ";"}, {"delimiter": "\t"}], ids=str)
def test_a_filled_sheet_decides_and_is_undone_at_once(rea, handles, style):
    rows = fill(taken(rea), handles["1b", "ada"], items="1 2", comment="Fine; so it is.")
    fill(rows, handles["1b", "bob"], items="NONE", adjustment="0,5")
    rea.send_sheet(b"\xef\xbb\xbf" + written(rows, **style))
    points = {row["answer"]: row["points"] for row in taken(rea)}
    assert points[handles["1b", "ada"]] == "3"
    assert points[handles["1b", "bob"]] == "0.5"
    assert sorted(points.values()) == ["", "", "", "", "", "", "0.5", "3"]
    rea.get("/written").post("/undo")
    assert "0 of 8 answers decided" in rea.get("/written").body


FAULTS = (
    ({"answer": "a0"}, "there is no answer"),
    ({"question": "9z"}, "to question &#39;9z&#39;"),
    ({"items": "1 7"}, "choose from 1 to 2"),
    ({"items": "yes"}, "choose from 1 to 2"),
    ({"items": "1", "adjustment": "much"}, "a number from -3 to 3"),
    ({"comment": "Good."}, "write `none` if none is earned"),
    ({"answer_sum": "sha256:00"}, "the answer has changed"),
    ({"items": "1", "comment": "x" * 2001}, "at most 2,000"),
)


def test_a_fault_is_told_by_line_as_an_editor_counts_and_nothing_is_stored(rea, handles):
    sheet = taken(rea)
    for cells, why in FAULTS:
        rows = fill([dict(row) for row in sheet], handles["1b", "bob"], items="1")
        rows = fill(rows, handles["1b", "ada"], **cells)
        line = 2 + next(n for n, row in enumerate(rows) if cells.items() <= row.items())
        rea.send_sheet(written(rows))
        assert rea.status == 422
        assert f"line {line}: " in rea.body
        assert why in rea.body
        assert "0 of 8 answers decided" in rea.body
    rows = taken(rea)
    rows[0].update(items="1", comment="two\nlines")
    rows[1].update(items="7")
    rea.send_sheet(written(rows))
    assert "line 4: " in rea.body


def test_a_decision_or_an_undo_meanwhile_is_a_conflict(rea, handles):
    rows = fill(taken(rea), handles["1b", "ada"], items="1")
    decide(rea, at(handles, "ada"), item=["2"])
    rea.send_sheet(written(rows))
    assert rea.status == 422
    assert "Rea gave 1 points after this sheet was made" in rea.body
    assert [row["points"] for row in taken(rea) if row["points"]] == ["1"]
    decide(rea, at(handles, "bob"), item=["2"])
    rows = fill(taken(rea), handles["1b", "bob"], items="1")
    rea.get("/written").post("/undo")
    rea.send_sheet(written(rows))
    assert "a decision was undone after" in rea.body


NO_SHEETS = (
    (b"", "is missing; required columns"),
    (b"question,answer\r\n1b,a0\r\n", "column `answer_sum` is missing"),
    (b"\xff\xfe\x00", "utf-8"),
    (b'question,"answer', "line 1: "),
    (b"\x00" * 1000, "line 1"),
)


def test_what_is_no_sheet_is_refused(rea):
    rows = taken(rea)
    short = (written(rows) + b"1b,a0\r\n", "has 2 cells")
    twice = (written([*rows, rows[0]]), "appears twice in the sheet")
    for content, why in (*NO_SHEETS, short, twice):
        rea.send_sheet(content)
        assert rea.status == 422
        assert why in rea.body


def test_hostile_answers_are_cells(start, grade):
    visitor = start(grade(ada=('=cmd|"/c calc"!A1\x1b\x00\n', "x"))).visitor()
    texts = {row["question"]: row["text"] for row in taken(visitor)}
    assert texts["1b"].startswith("'=cmd")
    assert "\x1b" not in texts["1b"]
