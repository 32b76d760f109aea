"""The file that is used, and the notes to the student on the others."""

import json

import pytest

from graders.adapting.gathered import NotHandedIn
from graders.adapting.reading import listing, source
from graders.adapting.reading.upload import PYTHON

F = "def f():\n    return 1\n"
G = "def g():\n    return 1\n"


@pytest.mark.parametrize(
    ("files", "taken"),
    [
        ({"a.py": F, "z.ipynb": [F, G]}, "z.ipynb"),
        ({"a.py": F + G, "A2S2.ipynb": [F, G]}, "A2S2.ipynb"),
        ({"A2S2.ipynb": [F, G], "A2S2.py": F + G}, "A2S2.py"),
        ({"deep/a.py": F + G, "b.py": F + G}, "b.py"),
        ({"A2S2_copy.py": F + G, "other.py": F + G}, "other.py"),
        ({"A2S2 (1).py": F + G, "A2S2_copy.py": F + G, "other.py": F + G}, "A2S2 (1).py"),
        ({"hw/A2S2 (2).py": F + G, "hw/A2S2.py": F + G, "x.py": F}, "hw/A2S2.py"),
        ({"old/A2S2 (1).py": F + G, "x.py": F + G}, "x.py"),
        ({"A2S2 .py": F + G, "a.py": F + G}, "A2S2 .py"),
        ({"A2S2-1.py": F + G, "a.py": F + G}, "A2S2-1.py"),
        ({"A2S2-1.py": F + G, "A2S2.py": F + G}, "A2S2.py"),
        ({f"A2S2{' (1)' * 50}x.py": F + G, "A2S2.py": F + G}, "A2S2.py"),  # and takes no time
        ({".ipynb_checkpoints/A2S2-checkpoint.ipynb": [F, G], "x.ipynb": [F, G]}, "x.ipynb"),
        (
            {
                "A2S2.py": ("def f():\n    '''Do it.'''\n    raise NotImplementedError\n") + G,
                "x.py": F + G,
            },
            "x.py",
        ),
        (
            {"A2S2.py": "def f():\n    out = None\n    return out\n" + G, "x.ipynb": [F + G]},
            "x.ipynb",
        ),
        ({"A2S2.py": "def f(:\n    pass\n" + G, "x.py": F + G}, "x.py"),
    ],
)
def test_likeliest_file_is_taken(take, files, taken):
    assert take(files, "f", "g", own=("A2S2",)).file == taken


def test_stub_gives_way_to_a_definition_and_foreign_folders_stay_shut(take):
    got = take({"a.py": "def f():\n    pass\n" + G + "def h(): return 1", "b.py": F}, "f", "g", "h")
    assert (got.file, got["f"]()) == ("a.py", 1)
    files = {"__MACOSX/._a.py": F, "venv/lib/site-packages/b.py": F, "._c.py": F}
    assert take(files, "f").found == ()


def test_definitions_that_differ_are_named_and_other_layout_is_no_difference(take):
    got = take({"a.py": F, "b.ipynb": ["def f():\n    return 2"]}, "f")
    assert got["f"]() == 1
    assert got.notes == ["`b.ipynb` and `a.py` define `f` differently; `a.py` was taken."]
    other = "x = 1  # a comment\ndef f():\n    'Say one.'\n    return (\n        1)\n"
    assert take({"a.py": F, "b.ipynb": [other]}, "f").notes == []
    notes = take({"A2S1.py": F, "A2S2.py": F}, "f").notes
    assert notes == ["`A2S2.py` is the same file as `A2S1.py`, byte for byte."]


def test_broken_definition_is_a_syntax_error(take):
    got = take({"a.py": F + "@decorated\ndef g(x:\n    return 1\n"}, "f", "g")
    assert got["f"]() == 1
    assert got.missing == ("g",)
    assert got.notes == [
        f"`a.py`, line 4 is not valid Python {PYTHON} ('(' was never closed); it was ignored."
    ]
    assert got.invalid == got.notes
    with pytest.raises(SyntaxError) as caught:
        got["g"]
    assert (caught.value.filename.endswith("a.py"), caught.value.lineno) == (True, 4)


def test_broken_cell_costs_itself(take):
    got = take({"a.ipynb": ["def f(:\n", "this is no code, f", F]}, "f")
    assert got["f"]() == 1
    assert [note.split(" is ")[0] for note in got.notes] == [
        "`a.ipynb, cell 1`, line 1",
        "`a.ipynb, cell 2`, line 1",
    ]


def test_cell_below_many_blank_lines_is_read(take):
    assert take({"a.ipynb": ["\n" * 80 + F]}, "f")["f"]() == 1
    assert take({"a.ipynb": [" \n" * 80 + "%%time\n" + F]}, "f")["f"]() == 1


def test_a_notebook_that_is_empty_or_broken_is_noted(take):
    with pytest.raises(NotHandedIn, match="`a.ipynb` could not be read: it is not valid JSON"):
        take({"a.ipynb": '{"metadata": {"widgets": def f'}, "f")["f"]
    with pytest.raises(NotHandedIn, match="`a.ipynb` is empty"):
        take({"a.ipynb": ""}, "f")["f"]
    whole = json.dumps(
        {"cells": [{"cell_type": "code", "source": [F]}] * 2, "metadata": {}}, indent=1
    )
    got = take({"a.ipynb": whole[:-20] + "<<<<<<"}, "f")
    assert got["f"]() == 1
    assert "only its first 2 cells were read" in got.notes[0]


def test_old_notebooks_or_notebooks_called_py_are_read(take):
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Experiment"},
        {"cell_type": "code", "input": ["def f():\n", "    return 1\n"]},
    ]
    document = {"nbformat": 3, "worksheets": [{"cells": cells}]}
    assert take({"a.ipynb": json.dumps(document)}, "f", until="experiment")["f"]() == 1
    cells = [{"cell_type": "code", "source": F}]
    assert take({"a.py": json.dumps({"cells": cells})}, "f")["f"]() == 1


@pytest.mark.parametrize(
    "document",
    [
        "[]",
        "3",
        '{"cells": 3}',
        '{"cells": [3, null, {"cell_type": "code", "source": [3]}]} f',
        '{"worksheets": [1]} f',
    ],
)
def test_odd_notebooks_define_nothing(take, document):
    assert take({"a.ipynb": document}, "f", "cell", "3").found == ()


def test_too_large_a_file_is_noted(take, monkeypatch):
    monkeypatch.setattr(listing, "MAX_BYTES", 10)
    got = take({"a.py": F}, "f")
    assert (got.found, got.notes) == ((), ["`a.py` is too large to be read."])


def test_too_many_files_are_noted(take, monkeypatch):
    monkeypatch.setattr(listing, "MAX_FILES", 2)
    assert take({f"{n}.py": f"x = {n}" for n in range(5)}, "f").notes == [
        "Only 2 of the 5 code files were read."
    ]


@pytest.mark.parametrize(
    "nasty",
    [
        "(" * 5000,
        "x = " + "-" * 50_000 + "1",
        "f" + "()" * 50_000,
        "\0",
        "if 1:\n pass\n" + "elif 2:\n pass\n" * 3000,
        "x = 1\ndef f(:\n" * 3000,
    ],
    ids=["brackets", "signs", "calls", "zero byte", "elif", "errors"],
)
def test_hostile_text_costs_itself(take, nasty):
    got = take({"a.py": f"{F}\n{nasty}\n", "b.py": nasty}, "f")
    assert got["f"]() == 1


def test_endless_file_is_read_in_part(take, monkeypatch):
    monkeypatch.setattr(source, "MAX_STATEMENTS", 2)
    got = take({"a.py": F + "x = 1\n" * 3}, "f")
    assert got["f"]() == 1
    assert got.notes == ["`a.py` was read in part: it has more than 2 statements."]


F2 = "def f():\n    return 2\n"


@pytest.mark.parametrize(
    ("files", "taken"),
    [
        ({"A2S2.py": F, "exp.py": F2 + G}, "A2S2.py"),
        ({"deep/A2S2.py": F, "exp.py": F2 + G}, "deep/A2S2.py"),
        ({"old/A2S2.py": F, "exp.py": F2 + G}, "exp.py"),
        ({"A2S2.py": "from exp import f\n", "exp.py": F2, "b.py": F + G}, "A2S2.py"),
        ({"A2S2.py": "class C:\n    @staticmethod\n    def f(): return 1", "b.py": F2}, "A2S2.py"),
        ({"A2S2.py": "def f():\n    for x in 'ab':\n        raise NotImplementedError", "b.py": F2},
         "b.py"),
    ],
)  # fmt: skip
def test_own_file_is_taken_before_another(take, files, taken):
    got = take(files, "f", own=("A2S2",))
    assert got.source("f") == taken


def test_a_copy_is_spare_only_beside_other_work(take):
    assert not take({"Copy of A2S2 (1).py": F, "utils.py": "X = 1"}, "f").is_spare("f")
    assert take({"Copy of A2S2 (1).py": F, "A2S2.py": G}, "f", "g").is_spare("f")


def test_own_files_are_rivals_and_what_stands_in_for_them_may_not_be_meant(take):
    files = {"A2S2.py": F, "b/A2S2.py": F2, "old/A2S2.py": F2 + G, "exp.py": F2}
    assert take(files, "f", own=("A2S2",)).rivals() == {"A2S2.py": ["b/A2S2.py"]}
    assert take({"A2S2.py": F, "exp.py": G}, "f", "g", own=("A2S2",)).rivals() == {"exp.py": []}


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"a.py": "\n\n" + F}, "`a.py`, line 3"),
        ({"a.ipynb": [G, "x = 1\n" + F]}, "`a.ipynb`, cell 2, line 2"),
        ({"a.py": "class C:\n    def f(): return 1"}, "`a.py`, line 1"),
        ({"a.ipynb": [G, "x = 1\ndef f(:\n    return 1"]}, "`a.ipynb`, cell 2, line 2"),
    ],
)
def test_place_names_file_and_line(take, files, place):
    assert take(files, "f").place("f") == place


STUB = "def task():\n    raise NotImplementedError('to do')\n"
GIVEN = "def helper():\n    return 'of the starter'\n"
OWN = {"own": ("A2S3",), "starter": ("helper",)}


def test_an_own_file_keeps_the_names_of_the_starter_only_with_work(take):
    mine = "def helper():\n    return 'mine'\ndef task():\n    return 'mine'\n"
    for name in ("A2S3.py", "notebooks/A2S3.py"):
        gathered = take({name: GIVEN + STUB, "work.py": mine}, "helper", "task", **OWN)
        assert gathered["helper"]() == gathered["task"]() == "mine"
    code = GIVEN + STUB + "def other():\n    return 'begun'\n"
    mine = "def helper():\n    return 'mine'\ndef task():\n    return 'mine'\n"
    gathered = take({"A2S3.py": code, "work.py": mine}, "helper", "task", "other", **OWN)
    assert gathered["helper"]() == "of the starter"
    assert (gathered["task"](), gathered["other"]()) == ("mine", "begun")
