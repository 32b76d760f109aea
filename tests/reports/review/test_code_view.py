"""The view of a student's code shows no more than a browser can, whatever was uploaded."""

from types import SimpleNamespace

from graders.registry.discovery import load_assignment
from reports.review.views.code import CHARACTERS, LINES, read_code
from submissions.receive import identify


def read(folder, *failed):
    task = load_assignment("cs224n-a4")
    checks = [SimpleNamespace(actual=place) for place in failed]
    criteria = [SimpleNamespace(checks=checks)]
    return read_code(
        SimpleNamespace(submission=identify(folder, task.name), criteria=criteria), task
    )


def test_many_large_files_are_cut(tmp_path):
    for number in range(9):
        (tmp_path / f"part{number}.py").write_text(("&" * 499 + "\n") * LINES)
    (tmp_path / "dataset.py").write_text("right = 1\nwrong = 2\n")
    files = read(tmp_path, "dataset.py, line 2")
    assert sum(len(line.text) for file in files for line in file.lines) <= CHARACTERS
    assert [len(line.failures) for line in files[0].lines] == [0, 1], (
        "the file that failed is whole"
    )
    assert files[-1].note == f"{LINES:,} more lines are not shown."


def test_ordinary_code_is_shown_whole(tmp_path):
    for name in ("dataset.py", "attention.py", "run.py"):
        (tmp_path / name).write_text("x = 1\n" * LINES)
    assert [(len(file.lines), file.note) for file in read(tmp_path)] == [(LINES, "")] * 3
