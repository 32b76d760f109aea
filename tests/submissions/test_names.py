import re

import pytest

from submissions.archives.names import Names
from submissions.escaping import listed, shown
from submissions.limits import UnpackLimits
from submissions.submission import Rejected

LONG = "x" * 100


def names():
    return Names("alice.zip", UnpackLimits(max_entries=50, max_files=20))


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("/etc/passwd", "an absolute path"),
        ("//server/share", "an absolute path"),
        ("\\windows\\evil", "an absolute path"),
        ("C:/evil", "an absolute path"),
        ("c:evil", "an absolute path"),
        ("C:\\evil", "an absolute path"),
        ("../evil", "leads out of the archive"),
        ("a/../../evil", "leads out of the archive"),
        ("..", "leads out of the archive"),
        ("..\\..\\evil", "leads out of the archive"),
        ("venv/../../evil", "leads out of the archive"),
        ("a/..\\evil", "a backslash"),
        ("a/.. /evil", "nothing but dots and blanks"),
        ("a/.../evil", "nothing but dots and blanks"),
        ("", "whose name is empty"),
        ("./", "whose name is empty"),
        ("a\x1b[2Jb", "control characters"),
        ("a\nb", "control characters"),
        ("evilIcon\r", "control characters"),
        ("Icon\r/evil", "control characters"),
        ("a\x00b", "control characters"),
        ("a\x7fb", "control characters"),
        ("a\x85b", "control characters"),
        ("a\u2028b", "control characters"),
        ("a\udcffb", "not UTF-8"),
        ("/".join("x" * 25), "more than 24 folders deep"),
        ("x" * 241, "path is too long"),
        ("é" * 121, "path is too long"),
        ("/".join([LONG] * 6), "path is too long"),
    ],
)
def test_unsafe_names_are_rejected(name, problem):
    with pytest.raises(Rejected, match=f"`alice.zip` contains .*{re.escape(problem)}.*; .*\\.$"):
        names().take(name, folder=False)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("Assignment 4/src/dataset.py", "Assignment 4/src/dataset.py"),
        ("Übung/naïve 東.py", "Übung/naïve 東.py"),
        ("./src/dataset.py", "src/dataset.py"),
        ("src//dataset.py", "src/dataset.py"),
        ("src\\dataset.py", "src/dataset.py"),
        ("a..b/...c", "a..b/...c"),
        ("run 10:30.txt", "run 10:30.txt"),
        ("é" * 120, "é" * 120),
    ],
)
def test_usual_names_are_kept(name, place):
    assert str(names().take(name, folder=False)) == place


@pytest.mark.parametrize(
    ("first", "second", "problem"),
    [
        ("a/x.py", "a/x.py", "twice"),
        ("a/x.py", "./a//x.py", "twice"),
        ("a/x.py", "A/y.py", "one name on many systems"),
        ("a/x.py", "a/X.py", "one name on many systems"),
        ("stra\u00dfe", "STRASSE", "one name on many systems"),
        ("\u00e9.py", "e\u0301.py", "one name on many systems"),
        ("a", "a/b", "once as a file and once as a folder"),
        ("a/b", "a", "once as a file and once as a folder"),
        ("a/", "a", "once as a file and once as a folder"),
    ],
)
def test_clashing_names_are_rejected(first, second, problem):
    used = names()
    used.take(first, folder=first.endswith("/"))
    with pytest.raises(Rejected, match=problem):
        used.take(second, folder=False)


def test_folders_may_be_named_again_and_implied_ones_are_counted():
    used = names()
    for name in ("src/", "src/", "src"):
        assert str(used.take(name, folder=True)) == "src"
    assert str(used.take("src/x.py", folder=False)) == "src/x.py"
    with pytest.raises(Rejected, match="more than 20 files and folders"):
        names().take("/".join("abcdefghijklmnopqrstu"), folder=False)


@pytest.mark.parametrize(
    ("places", "folder"),
    [
        (("__MACOSX/x", "__macosx/x", "__MACOSX/x"), False),  # they may clash
        (("./",), True),  # the top folder is no place
        (("a/Icon\r", "Icon\r"), False),
        (("a/Icon\r", "Icon\r"), True),
    ],
)
def test_some_names_are_left_out(places, folder):
    used = names()
    assert [used.take(place, folder=folder) for place in places] == [None] * len(places)


@pytest.mark.parametrize(("place", "most"), [("{}.py", 20), ("venv/{}.py", 50)])
def test_too_many_entries_are_rejected(place, most):
    """Those that are left out count, too, up to a limit of their own."""
    used = names()
    for i in range(most):
        used.take(place.format(i), folder=False)
    with pytest.raises(Rejected, match=f"contains more than {most} files and folders; upload your"):
        used.take(place.format(most), folder=False)


def test_hostile_names_are_shown_escaped_and_cut():
    with pytest.raises(Rejected) as caught:
        names().take("\x1b[2J" + "x" * 5000, folder=False)
    assert r"`\x1b[2Jxxx" in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a b.py", "`a b.py`"),
        ("naïve 東.py", "`naïve 東.py`"),
        ("\x1b[31mred", r"`\x1b[31mred`"),
        ("two\nlines", r"`two\nlines`"),
        ("\u202egpj.exe", r"`\u202egpj.exe`"),
        ("\udcff", r"`\udcff`"),
        ("<b>", "`<b>`"),
    ],
)
def test_unprintable_characters_are_escaped(name, expected):
    assert shown(name) == expected


def test_long_names_are_cut_and_long_lists_counted():
    text = shown("a" * 500 + "/end.py")
    assert len(text) == 82
    assert text.endswith("/end.py`")
    assert listed(["a", "b", "c", "d", "e"]) == "`a`, `b`, `c` and 2 more"
