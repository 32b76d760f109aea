import re
from pathlib import PurePosixPath as P

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.finding import find, is_copy_like

CODE = ("dataset.py", "attention.py")
BOTH = "dataset.py attention.py"


def tree(*folders):
    """Each argument is 'folder: name name'."""
    pairs = (line.split(": ") for line in folders)
    return [P(folder, name) for folder, names in pairs for name in names.split()]


@pytest.mark.parametrize(
    "folder",
    [
        ".",
        "src",
        "a4/src",
        "a4/student/src",
        "Assignment 4/src",
        "src/submission",
        "alice/assignment4_submission/a4/src",
        "copy of a4 (1)/src",
        "Übung 東/code",
        "old/src",
    ],
)
def test_code_is_found_wherever_it_is(folder):
    contents = find(tree(f"{folder}: {BOTH}", "notes: todo.txt"), CODE, ())
    assert contents.code == P(folder)


@pytest.mark.parametrize(
    ("right", "other", "reason"),
    [
        ("backup/src", "src", "contains fewer of them"),
        ("a/b/c", "src copy", "named like a copy"),
        ("a4/code", "backup/src", "named like a copy"),
        ("a4/src", "a4_old/src", "named like a copy"),
        ("a4/src", "src (1)", "named like a copy"),
        ("a4/src", "starter/src", "named like a copy"),
        ("a4/b/src", "a4", "not named src"),
        ("src", "a4/src", "is nested deeper"),
        ("a/src", "b/src", "sorts later"),
    ],
)
def test_the_rule_decides_and_is_told(right, other, reason):
    names = "dataset.py" if reason == "contains fewer of them" else BOTH
    contents = find(tree(f"{right}: {BOTH}", f"{other}: {names}"), CODE, ())
    assert contents.code == P(right)
    expected = f"Using `{right}` (contains dataset.py, attention.py); ignored `{other}` ({reason})"
    assert contents.notes == (expected,)


@pytest.mark.parametrize("folder", ["mingpt-demo", "a4/mingpt_demo", ".cache", "a4/.old/src"])
def test_other_peoples_code_is_not_looked_at(folder):
    assert find(tree(f"{folder}: {BOTH}"), CODE, ()).code is None


@given(st.permutations(tree(f"a: {BOTH}", f"b: {BOTH}", f"b/src: {BOTH}", f"c/src: {BOTH}")))
@settings(max_examples=25)
def test_the_order_of_files_changes_nothing(shuffled):
    assert find(shuffled, CODE, ()) == find(sorted(shuffled), CODE, ())
    assert find(shuffled, CODE, ()).code == P("b/src")


def test_many_others_are_counted_and_code_in_two_folders_is_told():
    folders = [f"{name}/src: {BOTH}" for name in "abcdefg"]
    assert find(tree(*folders), CODE, ()).notes[0].endswith("`d/src` (sorts later) and 3 more")
    contents = find(tree("models: attention.py", "data: dataset.py"), CODE, ())
    assert contents.code == P("data")
    assert contents.notes[1] == (
        "attention.py is not in `data` but in `models`, which was ignored: "
        "keep your modules in one folder"
    )
    notes = find(tree("a4: assignment4.zip hw4.ipynb"), CODE, ()).notes
    assert notes[1:] == (
        "Did not open `a4/assignment4.zip`: upload such an archive itself",
        "Did not read `a4/hw4.ipynb`: save its code as dataset.py and attention.py",
    )
    notes = find(tree(f"\x1b[2J\n/src: {BOTH}"), CODE, ()).notes
    assert notes[0].startswith(r"Using `\x1b[2J\n/src`")


@pytest.mark.parametrize(
    ("files", "wanted", "code", "notes"),
    [
        (f".: {BOTH}", CODE, P(), ("Using the top folder (contains dataset.py, attention.py)",)),
        ("a4: report.pdf", CODE, None, ("Found no folder with dataset.py or attention.py",)),
        ("a4: report.pdf", (), None, ()),
        (".: notes.pdf", ("*.py", "*.ipynb"), None, ("found no file *.py or *.ipynb",)),
        ("hw: A2.ipynb n.pdf", ("*.py", "*.ipynb"), P(), ("found `hw/A2.ipynb`",)),
        ("hw/part3: Main.PY", ("*.py", "*.ipynb"), P(), ("found `hw/part3/Main.PY`",)),
    ],
)
def test_what_was_found_is_told(files, wanted, code, notes):
    contents = find(tree(files), wanted, ())
    assert (contents.code, contents.notes) == (code, notes)


@pytest.mark.parametrize(
    "name",
    ["dataset (1).py", "dataset_old.py", "dataset copy.py", "Dataset.py", "dataset.py.bak",
     "old_dataset.py", "Copy of dataset.py"],
)  # fmt: skip
def test_stray_copies_are_ignored_with_a_note(name):
    upload = [P("src", n) for n in (*CODE, name, "dataset_stats.py", "my_dataset.txt")]
    contents = find(upload, CODE, ())
    assert contents.code == P("src")
    note = f"ignored `src/{name}` (only the exact names are imported)"
    assert contents.notes[1:] == (note,)
    assert find([P("src", name)], CODE, ()).notes[1] == note
    assert "exact names" not in str(find([P("src", name)], CODE, (), whole=True).notes)


@pytest.mark.parametrize(
    ("name", "read"),
    [("answer.md", True), ("my_answers.md", True), ("HW4-Answers.MD", True),
     ("answers_template.md", False), ("answerable.md", False), ("answer.csv", False)],
)  # fmt: skip
def test_an_answers_file_may_have_a_longer_name(name, read):
    assert ("answers.md" in find(tree(f"a4: {name}"), CODE, ("answers.md",)).files) is read
    contents = find(tree(f"a4: {name} answers.md"), (), ("answers.md",))
    assert contents.files["answers.md"] == (P("a4/answers.md"),)


@pytest.mark.parametrize(
    ("name", "read"),
    [("written.md", True), ("HW6_final.pdf", True), ("answers_jane.docx", True),
     ("notes.md", False), ("README.md", False), ("hw.csv", False), ("report_old.md", False)],
)  # fmt: skip
def test_the_only_document_with_a_title_is_the_answers_file(name, read):
    contents = find(tree(f"a4: {name} notes.txt"), CODE, ANSWERS)
    assert contents.files == ({"answers.md": (P("a4") / name,)} if read else {})
    exact = P("a4/answers.yaml")
    assert find([P("a4") / name, exact], (), ANSWERS).files == {"answers.yaml": (exact,)}


@pytest.mark.parametrize(
    ("names", "read"),
    [("lovelace.md", "answers.md"), ("README.md", "answers.md"),
     ("Ada.YAML README.md", "answers.yaml"), ("ada.pdf run.py", "answers.md"),
     ("ada.csv", ""), ("ada_old.md", "")],
)  # fmt: skip
def test_the_only_document_is_the_answers_file_of_an_assignment_without_code(names, read):
    files = tree(f"a4: {names}")
    assert find(files, (), ANSWERS).files == ({read: (P("a4") / names.split()[0],)} if read else {})
    assert not find(files, CODE, ANSWERS).files


@pytest.mark.parametrize(
    ("best", "others"),
    [
        ("a4/a.txt", ["a4/src/a.txt", "a.txt", "a4/out/a.txt"]),
        ("a4/src/a.txt", ["a.txt", "a4/out/a.txt"]),
        ("a.txt", ["a4/out/a.txt", "x/a.txt"]),
        ("x/y/a.txt", ["old/a.txt"]),
        ("x/y/a.txt", ["a4/A.txt"]),
        ("a4/A.TXT", ["A.txt"]),
        ("x/a.txt", ["y/a.txt"]),
    ],
)
def test_artifacts_are_ranked(best, others):
    upload = tree(f"a4/src: {BOTH}") + [P(path) for path in (*others, best)]
    contents = find(upload, CODE, ("a.txt", "absent.txt"))
    assert contents.files["a.txt"][0] == P(best)
    assert set(contents.files["a.txt"]) == {P(best), *map(P, others)}
    assert set(contents.files) == {"a.txt"}


def test_artifacts_are_found_without_code_and_then_nothing_is_told():
    """Not even of an archive in the upload."""
    assert find([P("x/y/a.txt"), P("x/a.txt")], CODE, ("a.txt",)).files["a.txt"][0] == P("x/a.txt")
    assert "inner.zip" in find(tree("a: inner.zip"), (), ANSWERS).notes[0]
    assert find(tree("a: inner.zip answers.docx answers.md"), (), ANSWERS).notes == ()


@pytest.mark.parametrize("name", ["src", "Assignment 4", "a4", "folder", "golden", "copyright"])
def test_plain_names_are_no_copies(name):
    assert not is_copy_like(name)


ANSWERS = ("answers.md", "answers.yaml")


@pytest.mark.parametrize(
    "name", ["rope_test.predictions", "rope test predictions (1).txt", "Rope-Test.predictions.txt"]
)
def test_separators_in_an_artifacts_name_may_differ(name):
    wanted = ("rope.test.predictions", "rope.dev.predictions")
    found = find([P("a4", name)], CODE, wanted).files
    assert found == {"rope.test.predictions": (P("a4", name),)}
    exact = P("a4/rope.test.predictions")
    assert find([P("a4", name), exact], CODE, wanted).files[wanted[0]] == (exact,)


def test_a_file_with_another_artifacts_exact_name_is_not_taken_for_it():
    found = find([P("a.b.txt")], CODE, ("a_b.txt", "a.b.txt")).files
    assert found == {"a.b.txt": (P("a.b.txt"),)}


@pytest.mark.parametrize("name", ["answers (1).md", "answers.md.txt", "Answers.txt", "answers.pdf"])
def test_what_a_browser_or_an_editor_adds_to_a_name_is_ignored(name):
    path = P("a") / name
    assert find([path], (), ANSWERS).files == {"answers.md": (path,)}
    exact = P("a/answers.yaml")
    assert find([path, exact], (), ANSWERS).files == {"answers.yaml": (exact,)}


@pytest.mark.parametrize("name", ["answers.xlsx", "answers_copy.md"])
def test_a_file_with_nearly_the_right_name_is_told(name):
    contents = find(tree(f"a: {name}"), (), ANSWERS)
    assert not contents.files
    assert contents.notes == (f"Ignored `a/{name}`; rename it to answers.md",)


@pytest.mark.parametrize(
    ("names", "read", "joined"),
    [
        ("hw6.tex hw6.pdf notes.txt", "hw6.tex hw6.pdf", False),
        ("answers.docx answers.pdf", "answers.docx answers.pdf", False),
        ("A2_written_answers.ipynb written.html", "A2_written_answers.ipynb written.html", True),
        ("hw6_written.md hw6.html", "hw6_written.md hw6.html", False),
        ("answers_1.md answers_3.md", "answers_1.md answers_3.md", True),
        ("answers (1).md answers(2).md", "answers (1).md answers(2).md", True),
        ("report.pdf writeup.md", "report.pdf writeup.md", True),
        ("hw6.ipynb", "", False),
    ],
)
def test_documents_of_one_title_are_formats_and_others_count_together(names, read, joined):
    """What is no text comes first: a person then reads everything."""
    files = [P("a") / name for name in re.findall(r"\S+(?: \(1\))?\.\w+", names)]
    found = find(files, CODE, ANSWERS)
    expected = tuple(P("a") / name for name in re.findall(r"\S+(?: \(1\))?\.\w+", read))
    assert found.files.get("answers.md", ()) == expected
    assert bool(found.joined) is joined
    assert find([*files, P("a/answers.yaml")], (), ANSWERS).files == {
        "answers.yaml": (P("a/answers.yaml"),)
    }


def test_all_documents_count_in_an_assignment_without_code():
    files = tree("a: README.md ada.md ada.pdf more.tex old.md")
    found = find(files, (), ANSWERS)
    assert found.files == {"answers.md": (P("a/more.tex"), P("a/ada.md"))}
    assert found.joined
