"""What Softmark prints says how each check ended."""

from graders.course.preview import Preview
from reports.terminal import results as terminal


def test_a_students_check_says_how_each_part_ended(capsys, unanswered):
    terminal.show_result(unanswered)
    said = " ".join(capsys.readouterr().out.split())
    for way in ("Timed out", "Out of memory", "Crashed", "Ended itself", "Answer not usable"):
        assert way in said
    assert "- 1 more, not run because they build on these" in said


def test_a_dry_run_says_what_each_upload_has(capsys, make_result):
    ada, bob, eve = (make_result(submission=name).submission for name in ("ada", "bob", "eve"))
    uploads = [
        Preview(ada, ("a.py", "b.py"), {"x": 1, "y": 0}, notes=("Using src",)),
        Preview(bob, missing=("a.py", "x"), notes=("Ignored \x1b.docx",)),
        Preview(eve, rejected="eve.zip is damaged."),
    ]
    terminal.show_previews(uploads, {"ada"})
    said = capsys.readouterr()
    rows = [" ".join(line.split()) for line in said.out.splitlines()]
    assert rows[1:] == [
        "ada saved a.py, b.py, x and 1 more -",
        "bob to grade - a.py, x",
        "eve not accepted eve.zip is damaged. -",
        "1 not accepted, 1 saved, 1 to grade. Nothing was graded.",
    ]
    assert said.err == "bob: Ignored \\x1b.docx\n"
