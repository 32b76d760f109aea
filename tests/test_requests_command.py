"""Regrade requests: from the code on a student's page to the reply on it."""

import contextlib
import json
import re
import sqlite3

import pytest

from graders.storage.requests import code_of
from graders.storage.store import FILE, read_store
from tests.conftest import RIGHT, SOLUTION, append, edit, write_files, write_submission, write_tiny
from tests.console import softmark

HIDDEN = """
[[criterion]]
id = "later"
title = "A secret title"
points = 3
kind = "metric"
visibility = "hidden"
"""
HIDDEN_CHECK = '''

@pytest.mark.criterion("later")
def test_later(fingerprints):
    """Later."""
    fingerprints["x.params"] = "equal in all"
'''
HOSTILE = "<script>alert(1)</script> \x1b[31m =1+1 [bold]"


def make_course(place):
    """Grade ada (5 of 6) and bob (6 of 6)."""
    folder = write_tiny(place / "tiny")
    append(folder / "assignment.toml", HIDDEN)
    append(folder / "checks.py", HIDDEN_CHECK)
    for name, answer in (("ada", "41"), ("bob", "42")):
        write_submission(place / "uploads" / name, work_py=RIGHT, answer_txt=answer)
    words = ("batch", folder, place / "uploads", "--out", place / "out")
    softmark(*words, "--executor", "serial")


@pytest.fixture
def out(made_once):
    """The results of both."""
    return made_once(make_course) / "out"


def page(out, name="ada"):
    return (out / "reports" / f"{name}.html").read_text()


def code(out, name="ada"):
    (match,) = set(re.findall(r"<code>([A-Z2-7]{5}-[A-Z2-7]{5})</code>", page(out, name)))
    return match


def appeal(out, file, *, name="ada", criterion="answer", reason="It is 41.", more=()):
    words = ("appeal", code(out, name), criterion, "--reason", reason, "-o", file, *more)
    done = softmark(*words)
    assert done.returncode == 0, done.stderr
    return file


def requests(out, *words, code=0):
    done = softmark("requests", out, *words)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_a_request_and_its_reply_are_on_the_page_of_this_student_alone(out, tmp_path):
    file = appeal(out, tmp_path / "a.json", reason=HOSTILE)
    before = page(out, "bob")
    output = requests(out, "--from", file)
    assert ("ada, answer" in output, "equal files" in output) == (True, False), "they are no news"
    assert json.loads((out / "twins.json").read_text())["groups"], "which a batch tells"
    assert "Waiting for the course staff" in page(out)
    assert "A regrade request is open" in (out / "index.html").read_text()
    assert "<script>alert" not in page(out)
    assert "stored already" in requests(out, "--from", file)
    assert "open" in requests(out)
    requests(out, 1, "--answer", "--comment", "Which part?", "--reviewer", "Rea")
    assert "Answered, still open" in page(out)
    output = requests(out, 1, "--grant", "--comment", "You are right.", "--reviewer", "Rea")
    assert "adjust" in output
    assert f"regrade {out.parent / 'tiny'} --out" in output, "the folder, as for `batch`"
    assert "it was granted before" in requests(out, 1, "--reject", "--comment", "No.")
    requests(out, 1, "--grant", "--comment", "You are right.")
    shown = page(out)
    assert ("Granted" in shown, "Which part?" in shown, "You are right." in shown) == (True,) * 3
    assert "Rea" not in shown
    assert page(out, "bob") == before
    assert "A regrade request is open" not in (out / "index.html").read_text()
    assert "answered by Rea: Which part?" in requests(out, 1)
    assert requests(out).count("\n") == 2, "a table, of one request, too"


def test_codes_are_of_one_submission_and_one_course(out, tmp_path):
    assert code(out) != code(out, "bob")
    with read_store(out) as store:
        key = store.course_key()
    assert code(out) == code_of(key, "ada") != code_of(b"other", "ada")
    file = tmp_path / "a.json"
    file.write_text(appeal(out, tmp_path / "b.json").read_text().replace(code(out), "AAAAA-AAAAA"))
    assert "no submission here has the code" in requests(out, "--from", file, code=2)


def test_a_pasted_text_is_a_request(out, tmp_path):
    file = tmp_path / "mail.txt"
    file.write_text(f"{code(out).lower()} answer\n\nI meant 42.\nReally.\n")
    requests(out, "--from", file)
    with read_store(out) as store:
        (request,) = store.requests().all()
    assert (request.submission, request.criterion) == ("ada", "answer")
    assert request.reason == "I meant 42.\nReally."
    assert "I meant 42.\nReally.\n" in requests(out, 1)
    assert "I meant 42. Really." in requests(out)


def test_a_mail_in_full_sentences_is_a_request(out, tmp_path):
    toml = out.parent / "tiny" / "assignment.toml"
    toml.write_text(
        toml.read_text().replace('title = "The answer"', 'title = "The answer (part g)"')
    )
    file = tmp_path / "mail.txt"
    for n, mail in enumerate((
        f"Hi, my code is {code(out)} and\nI think that Doubling works. It prints right-shift.\nAda",
        f"Hello there-folks,\n{code(out)} the ANSWER\nIt is 42.",
        f"Code: {code(out)}\nCriterion: answer (or The answer (part g))\nIt is 42.",
    ), 1):  # fmt: skip
        file.write_text(mail)
        assert f"ada, {('double', 'answer', 'answer')[n - 1]}" in requests(out, "--from", file)
        assert ("I think that Doubling works" in requests(out, n)) == (n == 1)
    file.write_text(f"Hi, my code is {code(out)}, and the answer and doubling are right.")
    assert "is not a request about one criterion" in requests(out, "--from", file, code=2)


def test_an_attachment_is_handed_on(out, tmp_path):
    plot = tmp_path / "plot.png"
    plot.write_bytes(bytes(range(256)))
    file = appeal(out, tmp_path / "a.json", more=("--attach", plot))
    requests(out, "--from", file)
    assert "attached: plot.png" in requests(out, 1)
    requests(out, 1, "--save", tmp_path / "saved.png")
    assert (tmp_path / "saved.png").read_bytes() == plot.read_bytes()
    assert "exists" in requests(out, 1, "--save", tmp_path / "saved.png", code=2)
    requests(out, "--from", appeal(out, tmp_path / "b.json", criterion="double"))
    assert "no attachment" in requests(out, 2, "--save", tmp_path / "other.png", code=2)


def test_several_requests_are_taken_or_none(out, tmp_path):
    right, wrong = appeal(out, tmp_path / "a.json"), tmp_path / "b.json"
    wrong.write_text("{}")
    requests(out, "--from", right, "--from", wrong, code=2)
    assert "answer" not in requests(out)


def test_a_code_of_another_form_is_refused_before_it_is_sent(tmp_path):
    done = softmark("appeal", "notacode", "answer", "--reason", "x", "-o", tmp_path / "a.json")
    assert (done.returncode, "is not a request code" in done.stderr) == (2, True)
    assert not (tmp_path / "a.json").exists()


def test_a_criterion_is_named_and_a_misspelled_one_noticed(tmp_path):
    def appealed(criterion):
        words = ("appeal", "ABCDE-23456", criterion, "--reason", "x", "-o", tmp_path / "a.json")
        return softmark(*words)

    assert "name a criterion" in appealed(" ").stderr
    done = appealed("rotaryy")
    assert (done.returncode, "did you mean `rotary`?" in done.stderr) == (0, True)
    (tmp_path / "a.json").unlink()
    assert appealed("ours").stderr == "", "of the course's own assignment"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{}", "schema: Field required"),
        ("{" * 100_000, "JSON"),
        ("I disagree.", "is not a request"),
        ('{"schema": "softmark/request/v2"}', "schema"),
        ("x" * (2**20 + 1), "larger than 1 MB"),
        ("CODE later\nWhy?", "there is no criterion `later`; did you mean"),
        ("CODE answers\nWhy?", "there is no criterion `answers`; did you mean `answer`"),
    ],
)
def test_what_is_no_request_is_refused_in_one_sentence(out, tmp_path, content, sentence):
    file = tmp_path / "request"
    file.write_text(content.replace("CODE", code(out)))
    output = requests(out, "--from", file, code=2)
    assert sentence.split(";")[0] in output
    assert "Traceback" not in output
    with read_store(out) as store:
        assert store.requests().all() == []


@pytest.mark.parametrize(
    "words",
    [("--grant",), ("1", "--grant"), ("--grant", "--comment", "x"), ("1", "--comment", "x")],
)
def test_a_reply_needs_a_request_a_decision_and_a_comment(out, words):
    assert "a reply is a request's number, one of" in requests(out, *words, code=2)


def test_the_trail_is_only_added_to_and_forgotten_with_the_student(out, tmp_path):
    for name in ("ada", "bob"):
        requests(out, "--from", appeal(out, tmp_path / f"{name}.json", name=name))
    requests(out, 1, "--reject", "--comment", "No.")
    with contextlib.closing(sqlite3.connect(out / FILE)) as connection:
        for change in ("DELETE FROM requests", "UPDATE replies SET comment = 'Yes.'"):
            with pytest.raises(sqlite3.IntegrityError, match="is never"):
                connection.execute(change)
    receipt = softmark("forget", out, "ada", "--yes").stdout
    assert "0 comments, 1 request (with 1 reply); receipt 1" in receipt
    with read_store(out) as store:
        assert [request.submission for request in store.requests().all()] == ["bob"]


def test_a_request_says_nothing_of_criteria_that_are_not_shown(out):
    source = page(out)
    assert "<code>answer</code>" in source
    assert "<code>later</code>" not in source


def test_appeal_overwrites_nothing_and_takes_no_endless_file(out, tmp_path):
    file = appeal(out, tmp_path / "a.json")
    words = ("appeal", "AAAAA-AAAAA", "answer", "--reason")
    assert "exists" in softmark(*words, "x", "-o", file).stderr
    large = tmp_path / "large.bin"
    large.write_bytes(b"0" * 2**20)
    more = ("x", "--attach", large, "-o", tmp_path / "b.json")
    assert "more than 512 KB" in softmark(*words, *more).stderr
    assert json.loads(file.read_text())["criterion"] == "answer"


def test_a_granted_case_becomes_an_example_that_expects_the_adjusted_points(out):
    tiny_folder = out.parent / "tiny"
    write_files(tiny_folder / "solution", SOLUTION)
    adjusted = ("--points", "2", "--comment", "41 is fine, too.")
    assert softmark("adjust", out, "ada", "answer", *adjusted).returncode == 0
    words = ("plant", out, "ada", "right-41", "--why", "41 is fine.")
    done = softmark(*words)
    assert (done.returncode, "validate" in done.stderr) == (0, True), done.stderr
    example = tiny_folder / "examples" / "right-41"
    assert sorted(path.name for path in example.iterdir()) == [
        "answer.txt", "expected.toml", "work.py",
    ]  # fmt: skip
    assert [path.name for path in example.parent.iterdir()] == ["right-41"], "nothing else is left"
    run = softmark("validate", tiny_folder, "--executor", "serial")
    assert (run.returncode, "`answer` loses" in run.stdout) == (1, True), run.stdout
    edit(tiny_folder / "checks.py", ".strip()", ".strip().replace('41', '42')")
    run = softmark("validate", tiny_folder, "--executor", "serial")
    assert "`answer` loses" not in run.stdout, "the check is mended"
    assert (
        softmark(*words).returncode,
        softmark("plant", out, "ada", "../up", *words[4:]).returncode,
    ) == (2, 2)
    assert (softmark("plant", out, "eve", *words[3:])).returncode == 2
