import pytest

from submissions.escaping import listed, shown


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
