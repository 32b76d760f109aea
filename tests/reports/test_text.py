import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.text import items, line, number, prose, sentence, verbatim


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("two\nlines", r"two\nlines"),
        ("\ud800\u200b\u2028\x7f", r"\ud800\u200b\u2028\x7f"),
        ("a" + "\u0301" * 9, "a" + "\u0301" * 4),
        ("15\u202f% of \u0645\u06cc\u200c\u062e", "15\u202f% of \u0645\u06cc\u200c\u062e"),
    ],
)
def test_line_shows_what_hides(text, shown):
    assert line(text) == shown


def test_verbatim_marks_spaces_and_prose_keeps_its_lines():
    assert prose("\r\na\r\nb\rc\n") == "a\nb\\rc"
    assert verbatim("a □□⁇\t<\n") == (
        'a<span class="sp"> </span><span class="pad">□□</span><span class="mask">⁇</span>'
        '<span class="escape">\\t</span>&lt;<span class="nl">↵</span>\n'
    )


@pytest.mark.parametrize("show", [line, prose, verbatim])
def test_long_text_is_cut(show):
    shown = show("x" * 1_000_000)
    assert len(shown) < 1600
    assert re.search(r"… \(99\d,\d\d\d more characters\)", shown)


def test_lists_are_cut_between_names_and_nothing_for_less_than_the_words_about_it():
    names = [f"vanilla.{n}.dev.prediction" for n in range(20)]
    assert items(names, 80) == f"{', '.join(names[:3])} and 17 more"
    assert items(names[:6], 80) == ", ".join(names[:6])
    assert line("x" * 239) == "x" * 239
    assert line("x" * 61, 60).endswith("… (1 more characters)")


@given(st.text(" ab<>&\"'□⁇\nß", max_size=60))
def test_verbatim_can_be_copied(text):
    without_signs = verbatim(text).replace("↵", "")
    assert html.unescape(re.sub(r"<[^>]*>", "", without_signs)) == text


@given(st.text(max_size=60))
def test_nothing_unseen_is_left(text):
    unseen = r"[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
    for shown in (line(text), prose(text), verbatim(text)):
        assert not re.search(unseen, shown.replace("\n", ""))


def test_sentence_sets_code_apart_and_a_caret_below_what_it_points_at():
    assert sentence("`data`, `<b>`, a ` alone") == (
        "<code>data</code>, <code>&lt;b&gt;</code>, a ` alone"
    )
    assert sentence("`(` is open.\nb*(<a\n  ^\nMend it.") == (
        '<code>(</code> is open.<code class="pointed" tabindex="0">b*(&lt;a\n  ^</code>Mend it.'
    )
    assert sentence("2^3\n^ is a power") == "2^3\n^ is a power"


@pytest.mark.parametrize(
    ("value", "shown"), [(10.0, "10"), (0.0, "0"), (2 / 3, "0.67"), (7.5, "7.5"), (-1e-9, "0")]
)
def test_number_is_short(value, shown):
    assert number(value) == shown
