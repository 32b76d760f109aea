"""A mistake in a TOML file is one sentence with the file, the place and the nearest valid name."""

import pytest

from graders.audit.examples import write_examples
from graders.data.declared import refuse_other_data
from graders.errors import UsageError, did_you_mean
from graders.registry.discovery import load_assignment
from tests.conftest import LIMITS, write_files

ASSIGNMENT = f"""
name = "own"
title = "Own"
version = 1
seed = 7
{LIMITS}
[files]
code = ["work.py"]
[[criterion]]
id = "rows"
title = "Rows"
points = 2
kind = "code"
"""
AGAIN = '[[criterion]]\nid = "rows"\ntitle = "R"\npoints = 1\nkind = "code"\n[[criterion]]'
WRITTEN, EXAMPLES, DATA = "written.toml", "examples.toml", "data.toml"
QUESTION = """
[[question]]
id = "1"
title = "Why"
prompt = "Why?"
[question.review]
points = 2
[[question.review.item]]
points = 2
text = "because"
"""
EXAMPLE = """
[[example]]
name = "a"
why = "b"
of = ""
edits = [{ file = "w", old = "x", new = "y" }]
"""
BESIDE = {WRITTEN: QUESTION, EXAMPLES: EXAMPLE, DATA: '[data_files]\n"a" = { rows = 1 }'}


def refusal(folder, files):
    """What is said of an assignment with these files, without its folder."""
    write_files(folder, {"assignment.toml": ASSIGNMENT, **files})
    with pytest.raises(UsageError) as refused:
        read_all(folder)
    return str(refused.value).removeprefix(f"{folder}/")


def read_all(folder):
    task = load_assignment(str(folder))
    refuse_other_data(task, folder)
    write_examples(task, folder / "written")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("version = 1", "verson = 1", "there is no key `verson`; did you mean `version`?"),
        ("version = 1", 'version = "one"', '`version` is "one"; it must be a whole number'),
        ("version = 1", "version = 1\ncolour = 1", "`colour`"),
        ("seed = 7", "seed = ", ""),
        ("wall_seconds", "wall_secs", "no key `wall_secs`; did you mean"),
        ("wall_seconds = 10", "wall_seconds = 'long'", "limits: `wall_seconds` is"),
        ("[[criterion]]", AGAIN, "duplicate criterion id `rows`"),
        ("points = 2", "point = 2", "criterion `rows`: there is no key `point`; did you mean"),
        ("points = 2", "points = -2", "criterion `rows`: `points` is -2; it must be at least 0"),
        ("points = 2\n", "", "criterion `rows`: the key `points` is missing"),
        ('"code"', '"cod"', 'criterion `rows`: `kind` is "cod"; did you mean `code`?'),
        ('"code"', '"x"', '`kind` is "x"; choose from: `code`, `metric`, `written`'),
        ('"rows"', '"r s"', '`id` is "r s"; it must be letters, digits, dots and hyphens'),
        ('["work.py"]', '"work.py"', 'files: `code` is "work.py"; it must be a list in brackets'),
        ("[files]", "[settings]\na = {}\n[files]", "settings: `a` is {}; it must be a number, a"),
        (
            "[files]",
            '[data_files]\n"a" = {row = 1}\n[files]',
            "data_files, a: there is no key `row`",
        ),
    ],
)
def test_a_wrong_assignment_toml_is_one_sentence(tmp_path, old, new, said):
    assert old in ASSIGNMENT
    message = refusal(tmp_path, {"assignment.toml": ASSIGNMENT.replace(old, new, 1)})
    assert message.startswith("assignment.toml: ")
    assert said in message


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (WRITTEN, "prompt", "promt", "question `1`: there is no key `promt`; did you mean"),
        (WRITTEN, "text", "txt", "question `1`, review, item 1: there is no key `txt`"),
        (WRITTEN, "points = 2", 'points = "two"', '`points` is "two"; it must be a number'),
        (EXAMPLES, "edits", "edit", "example `a`: there is no key `edit`; did you mean `edits`?"),
        (EXAMPLES, "new", "neu", "example `a`, edits 1: there is no key `neu`; did you mean"),
        (DATA, "_files", "_file", "there is no key `data_file`; did you mean `data_files`?"),
        (DATA, "rows = 1", 'sha256 = "x"', "data_files, a: `sha256` is"),
    ],
)
def test_a_wrong_file_beside_it_is_one_sentence(tmp_path, name, old, new, said):
    message = refusal(tmp_path, {name: BESIDE[name].replace(old, new, 1)})
    assert message.startswith(f"{name}: ")
    assert said in message


def test_the_nearest_name_is_suggested_but_no_other_person():
    assert did_you_mean("cs224n-a6", ["cs224n-a4", "cs182"]) == "; did you mean `cs224n-a4`?"
    assert did_you_mean("ada@x.edu", ["eda@x.edu"]) == did_you_mean("s12345", ["s12346"]) == ""
