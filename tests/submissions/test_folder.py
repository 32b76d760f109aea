import pytest

from submissions.finding import find
from submissions.folder import copy_needed
from submissions.limits import CopyLimits
from submissions.listing import list_files

CODE = ("dataset.py", "attention.py")
LONDON = "london_baseline_accuracy.txt"


@pytest.fixture
def copied(uploads, tmp_path):
    """Copies what is needed of a tree; gives the clean folder."""

    def copy(tree, artifacts=(LONDON,), **limits):
        upload = uploads.tree(tree)
        listing = list_files(upload)
        contents = find(listing.files, CODE, artifacts)
        return copy_needed(upload, listing, contents, tmp_path / "clean", CopyLimits(**limits))

    return copy


def test_code_and_artifacts_are_copied(copied, a4, files_in, tmp_path):
    clean = copied(a4)
    assert files_in(clean.root) == a4
    assert clean.root == tmp_path / "clean"
    assert clean.code == clean.root / "a4/src"
    assert clean.files == {LONDON: clean.root / "a4" / LONDON}


def test_the_rest_and_bulk_below_the_code_is_not_copied(copied, a4, files_in):
    rest = {f"a4/{name}": b"x" for name in ("wiki.txt", "expt/log", "x.params", "venv/x.py")}
    more = {"a4/src/sub/x.py": b"x", "a4/src/data/x.py": b"x", "a4/src/conf.json": b"{}"}
    bulk = {f"a4/src/{name}/x.bin": b"x" for name in ("data", "expt", "Runs")}
    assert files_in(copied(a4 | rest | more | bulk).root) == a4 | more


@pytest.mark.parametrize("limits", [{"code_file_bytes": 9}, {"code_bytes": 25}, {"code_files": 2}])
def test_code_is_capped_with_a_note(copied, a4, files_in, limits):
    clean = copied(a4 | {"a4/src/big.bin": b"x" * 10}, **limits)
    assert files_in(clean.root) == a4
    assert "Ignored `a4/src/big.bin` (too large or too many to be code)" in clean.notes


def test_a_notebook_may_be_larger_than_a_module(copied, a4, files_in):
    notebook = {"a4/src/work.ipynb": b"x" * 30}
    limits = {"code_file_bytes": 9, "notebook_bytes": 30}
    assert files_in(copied(a4 | notebook, **limits).root) == a4 | notebook


def test_wanted_artifacts_in_the_code_folder_are_no_code(copied, files_in):
    tree = {"dataset.py": b"d", LONDON: b"5.0" * 9}
    clean = copied(tree, code_file_bytes=9)
    assert files_in(clean.root) == tree
    assert clean.code == clean.root
    assert clean.notes == ("Using the top folder (contains dataset.py)",)


def test_too_large_artifacts_are_left_with_a_note(copied, a4):
    clean = copied(a4, artifact_bytes=2)
    assert clean.files == {}
    assert f"Ignored `a4/{LONDON}`: larger than 0 MiB" in clean.notes


@pytest.mark.parametrize(("content", "told"), [(b"5.0", False), (b"9.9", True), (b"7", True)])
def test_different_candidates_are_told(copied, a4, content, told):
    clean = copied(a4 | {f"other/{LONDON}": content})
    note = f"Using `a4/{LONDON}`; ignored `other/{LONDON}`, which differ from it"
    assert (note in clean.notes) == told


def test_a_name_in_other_case_is_taken_with_a_note(copied):
    clean = copied({f"a4/{LONDON.upper()}": b"5.0"})
    assert clean.files[LONDON].read_bytes() == b"5.0"
    note = f"Using `a4/{LONDON.upper()}` for {LONDON}: the name differs by case"
    assert note in clean.notes


@pytest.mark.usefixtures("open_umask")
def test_copies_have_plain_permissions(uploads, copied, a4):
    (uploads.tree(a4) / "a4/src/dataset.py").chmod(0o4777)
    assert (copied(a4).code / "dataset.py").stat().st_mode & 0o7777 == 0o644


def test_a_file_turned_link_is_not_followed(uploads, a4, tmp_path):
    upload = uploads.tree(a4)
    listing = list_files(upload)
    (tmp_path / "secret").write_text("dataset")
    (upload / "a4/src/dataset.py").unlink()
    (upload / "a4/src/dataset.py").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError, match="symbolic links"):
        copy_needed(upload, listing, find(listing.files, CODE, ()), tmp_path / "clean")


def test_answers_in_several_documents_are_one_file(copied):
    clean = copied({"b_answers.md": b"two", "a_answers.md": b"one"}, ("answers.md",))
    assert clean.files["answers.md"].read_bytes().split() == [b"one", b"two"]
    assert "Using `a_answers.md`, `b_answers.md` together as answers.md" in clean.notes[-1]


@pytest.mark.parametrize(
    ("name", "content"),
    [("report.txt", "größer".encode("cp1252")), ("answers_b.ipynb", b"{}"), ("hw.tex", b"x")],
)
def test_documents_that_cannot_be_joined_are_no_text(copied, name, content):
    """Then a person reads them."""
    clean = copied({"written.md": b"## 1b\none", name: content}, ("answers.md",))
    assert b"\0" in clean.files["answers.md"].read_bytes()


def test_a_folder_may_have_the_name_of_the_joined_file(copied):
    clean = copied(
        {"answers.md/dataset.py": b"", "hw.md": b"1", "report.md": b"2"}, ("answers.md",)
    )
    assert clean.files["answers.md"].read_bytes().split() == [b"1", b"2"]


def test_a_notebook_with_answers_is_also_code(copied, files_in):
    tree = {"dataset.py": b"d", "answers.ipynb": b"{}"}
    assert files_in(copied(tree, ("answers.md",)).root) == tree
