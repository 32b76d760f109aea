"""Pages and forms over HTTP: what is stored, what is shown, who is named."""

import json
import re

from graders.storage.files import only_writer
from graders.storage.store import read_store
from reports.review.adjusting import Adjusting, TypedAdjustment
from tests.conftest import edit
from tests.console import scores
from tests.reports.review.conftest import ANSWERS, Visitor

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)></textarea></div>'\"&amp; "
    "\u202eliame\u202c zero\u200bwidth \x1b[31m\x00e"
    + "\u0301" * 300
    + "\nשלום {{ 7*7 }} javascript:alert(1)"
    + "long" * 500
)


def at(handles, name, question="1b"):
    return f"/q/{question}/{handles[question, name]}"


def decide(visitor, address, **fields):
    visitor.get(address)
    return visitor.post(address, **{"scope": "one", "seen": seen_in(visitor)} | fields)


def seen_in(visitor):
    return visitor.body.split('name="seen" value="')[1].split('"')[0]


def score_of(folder, name):
    with read_store(folder) as store:
        return store.member_result(1, name).score


def test_an_answer_stands_beside_its_rubric_with_suggestions_that_are_never_ticked(rea, handles):
    page = rea.get(at(handles, "ada"))
    assert page.status == 200
    assert "one score exceeds all others by a large margin" in page.body
    assert "<mark>The score of one key is much larger than all others.<sup" in page.body
    assert "Suggested (" in page.body
    assert " checked" not in page.body.split("<fieldset>")[1].split("</fieldset>")[0]
    assert page.body.count(" checked>") == 2 + 1  # the others of the group, and the switch of keys


def test_decisions_become_points_at_once_and_a_zero_is_said_on_purpose(rea, handles, graded):
    decide(rea, at(handles, "ada"), item=["1"])
    assert rea.status == 303
    decide(rea, at(handles, "ada", "c.ii"), item=["1"], adjustment="-0,5", comment="Which?")
    assert score_of(graded, "ada") == 3.5
    assert "1 of 4 submissions have a total" in rea.get("/written").body
    assert decide(rea, at(handles, "ada"), item=["none"]).status == 303
    assert "0 of 3" in rea.get(at(handles, "ada")).body


def test_after_a_decision_the_next_that_waits_comes(rea, handles):
    seen = set()
    address = rea.get("/q/1b").answer_headers["location"]
    for _ in range(8):
        address = rea.get(address).answer_headers.get("location", address)  # of a question
        seen.add(address)
        address = decide(rea, address, item=["1"]).answer_headers["location"]
    assert seen == {at(handles, name, question) for question, name in handles}
    assert address == "/written"
    assert "8 of 8 answers decided" in rea.get("/written").body


MISTYPED = (
    ({}, "Select a rubric item, or “none of these” (0)."),
    ({"item": ["1", "none"]}, "Select rubric items or “none of these”, not both."),
    ({"item": ["3"]}, "choose from 1 to 2"),
    ({"item": ["1"], "adjustment": "4"}, "a number from -3 to 3"),
    ({"item": ["1"], "adjustment": "nan"}, "a number from -3 to 3"),
    ({"item": ["1"], "comment": "x" * 2001}, "at most 2,000 characters"),
)


def test_what_was_mistyped_is_not_stored_and_grading_meanwhile_waited_for(rea, handles, graded):
    for fields, why in MISTYPED:
        page = decide(rea, at(handles, "ada"), **fields)
        assert page.status == 422
        assert why in page.body
        assert "0 of 8 answers decided" in page.body
    rea.get("/written")
    with only_writer(graded):
        assert rea.post("/write").status == 409
    assert "another grading" in rea.body


def test_a_group_of_answers_that_differ_in_spaces_is_decided_member_by_member(rea, handles):
    assert "This group: 3 similar answers" in rea.get(at(handles, "dan")).body
    members = [f"{handles['1b', name]}:0" for name in ("bob", "dan")]
    decide(rea, at(handles, "ada"), item=["1", "2"], scope="group", member=members)
    assert "3 of 8 answers decided" in rea.get("/written").body
    rea.get("/written").post("/undo")
    assert "0 of 8 answers decided" in rea.get("/written").body


def test_a_conflict_shows_both_and_undo_takes_back_only_what_one_said(rea, handles, graded):
    tom = Visitor(rea.port).enter("http" + invitation(rea))
    decide(rea, at(handles, "ada"), item=["1"])
    decide(tom, at(handles, "bob"), item=["1"])
    for _ in range(2):
        rea.get("/written").post("/undo")
    assert "nothing to undo" in rea.get("/written").body
    assert "1 of 8 answers decided" in rea.body
    address = at(handles, "ada")
    tom.get(address)
    decide(rea, address, item=["1"])
    tom.post(address, item=["2"], seen="0", scope="one")
    page = tom.get(tom.answer_headers["location"])
    assert "Two decisions differ" in page.body
    assert "2 of 3" in page.body
    assert "1 of 3" in page.body
    assert page.body.count("Start from this one") == 2
    assert "1 of 8 answers decided" in page.body
    decide(tom, address, item=["1", "2"])
    states = re.findall(r"<em>(\w+)</em>", tom.get(address).body.split('class="trail"')[1])
    assert states == ["current", "replaced", "replaced", "undone"]
    assert "2 of 8 answers decided" in tom.get("/written").body


def invitation(visitor):
    page = visitor.get("/written").post("/invite", reviewer="Tom")
    return page.body.split("<code>http", 1)[1].split("</code>")[0]


def test_one_may_start_from_what_another_said_and_what_is_not_there_is_said(rea, handles):
    decide(rea, at(handles, "ada"), item=["2"], comment="From the first")
    decide(rea, at(handles, "ada"), item=["1"], comment="From the second")
    assert "From the first</textarea>" in rea.get(at(handles, "ada") + "?from=1").body
    assert "From the second</textarea>" in rea.get(at(handles, "ada") + "?from=" + "9" * 5000).body
    assert rea.get("/q/9z").status == 404
    assert rea.get("/q/1b/anything").status == 404
    assert rea.get("/q/1b/" + handles["c.ii", "ada"]).status == 404


def test_an_adjustment_is_said_where_a_decision_would_not_change_it(rea, handles, graded):
    adjustment = TypedAdjustment("ada", "1b", points="1", comment="As agreed.")
    with read_store(graded) as store:
        Adjusting(store).adjust([adjustment], "Tom")
    assert "adjusted the criterion to 1 point" in rea.get(at(handles, "ada")).body
    assert "<bdi>Tom</bdi>" in rea.body
    assert "adjusted" not in rea.get(at(handles, "bob")).body
    assert "1 of 5" in rea.get("/written").body, "the total counts it"


def test_names_are_hidden_until_asked_for_and_nobody_is_led_elsewhere(rea, handles):
    page = rea.get(at(handles, "cleo"))
    assert not any(name in page.body for name in ANSWERS)
    assert rea.post("/view", show="names", back="/").answer_headers["location"] == "/"
    assert "cleo" in rea.get(at(handles, "cleo")).body
    for back in ("//evil.example", "https://evil.example", "/\\evil.example"):
        page = rea.get("/written").post("/view", show="names", back=back)
        assert page.answer_headers["location"] == "/"


def test_a_second_start_has_the_decisions_and_the_order_of_the_first(start, graded, handles):
    first, second = (start(graded).visitor() for _ in range(2))
    decide(first, at(handles, "ada"), item=["1"])
    assert "1 of 8 answers decided" in second.get("/written").body
    walks = [visitor.get("/q/1b").answer_headers["location"] for visitor in (first, second)]
    assert walks[0] == walks[1]


def test_hostile_or_endless_texts_do_not_reach_the_page(start, grade):
    visitor = start(grade(ada=(HOSTILE, HOSTILE))).visitor()
    address = visitor.get("/q/1b").answer_headers["location"]
    page = visitor.get(address)
    for shown in ("&lt;script&gt;", r"\u202e", r"\u200b", r"\x1b", r"\x00", "{{ 7*7 }}"):
        assert shown in page.body
    assert not any(c in page.body for c in "\u202e\u200b\x1b\x00")
    assert page.body.count("\u0301") < 10
    decide(visitor, address, item=["1"], comment=HOSTILE[:1500])
    visitor.get(address)
    assert page.body.count("&lt;script&gt;alert") == 3  # answer, decision, comment field
    assert "<script>alert" not in page.body
    assert "<img" not in page.body
    visitor = start(grade(ada=("much text " * 2**20, "x"))).visitor()
    address = visitor.get("/q/1b").answer_headers["location"]
    assert len(visitor.get(address).content) < 200_000
    assert "more characters" in visitor.body
    whole = visitor.get(f"{address}/text")
    assert len(whole.content) == 10 * 2**20
    assert whole.answer_headers["content-disposition"].startswith("attachment")


def test_written_grades_hold_the_decisions(rea, handles, graded):
    for question in ("1b", "c.ii"):
        decide(rea, at(handles, "ada", question), item=["1"], comment="=1+1")
    assert "Decisions on 1 submission are not in the output files yet" in rea.get("/written").body
    assert rea.post("/write").status == 303
    assert "All decisions are saved to the output files" in rea.get("/written").body
    assert scores(graded) == {"ada": "4", "bob": "", "cleo": "", "dan": ""}
    assert json.loads((graded / "results" / "ada.json").read_text())["status"] == "graded"
    assert "=1+1" in (graded / "reports" / "ada.html").read_text()


def test_a_changed_upload_is_asked_again(rea, handles, graded, grade):
    decide(rea, at(handles, "ada"), item=["1"])
    assert "1 of 8 answers decided" in rea.get("/written").body
    grade(address="another", ada=("Another text.", ANSWERS["ada"][1]))
    assert "0 of 8 answers decided" in rea.get("/written").body
    assert "Another text." in rea.get(at(handles, "ada")).body


def test_a_changed_rubric_is_said(rea, handles, graded, essay, start):
    decide(rea, at(handles, "ada"), item=["1"])
    edit(essay.folder / "written.toml", "large margin", "wide margin")
    page = start(graded).visitor().get(at(handles, "ada"))
    assert "The rubric has changed since this decision" in page.body


def test_a_question_that_is_gone_is_said(graded, essay, start):
    edit(essay.folder / "written.toml", 'id = "c.ii"', 'id = "c.iii"')
    assert "no longer has a rubric for c.ii" in start(graded).visitor().get("/written").body


def test_what_speaks_against_a_line_is_shown(start, grade, essay):
    phrases = 'phrases = ["weight close to one"]'
    edit(essay.folder / "written.toml", phrases, 'contradictions = ["weights are equal"]')
    visitor = start(grade(ada=("So all weights are equal.\r\nThat is it.", "x"))).visitor()
    page = visitor.get(visitor.get("/q/1b").answer_headers["location"])
    assert "Contradicts it: <q" in page.body
    assert "<mark>So all weights are equal.<sup" in page.body
    assert "not 2</sup>" in page.body
