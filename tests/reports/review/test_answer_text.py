"""An answer as HTML: every character visible, none obeyed, evidence marked correctly."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.review.views.text import Evidence, answer_html, visible


def plain(html):
    return re.sub(r"<[^>]*>", "", str(html))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u200bb", r"a\u200bb"),
        ("a\u200db", r"a\u200db"),
        ("\u202eabc", r"\u202eabc"),
        ("a\x00\x1b[2J", r"a\x00\x1b[2J"),
        ("soft\u00adhyphen", r"soft\xadhyphen"),
        ("a\u2028b", r"a\u2028b"),
        ("\ud800", r"\ud800"),
        ("bare\rreturn", r"bare\rreturn"),
    ],
)
def test_what_draws_nothing_is_written_out(text, shown):
    assert plain(visible(text)) == shown


@pytest.mark.parametrize(
    "text", ["👩\u200d👩\u200d👧", "می\u200cخواهم", "a\tb\nc\r\nd", "e\u0301", "שלום"]
)
def test_what_people_write_stays(text):
    assert plain(visible(text)) == text


def test_evidence_is_marked_where_it_is_and_paints_over_nothing():
    assert str(visible("e" + "\u0301" * 500)).count("\u0301") == 4
    html = str(answer_html("No. Yes. No.", [Evidence(4, 8, "1"), Evidence(4, 8, "not 2")]))
    assert re.search(r"No\. <mark>Yes\.<sup.*1, not 2</sup></mark> No\.", html)


@given(
    st.text(max_size=60),
    st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70)), max_size=5),
    st.integers(1, 80),
)
def test_nothing_is_lost_and_nothing_is_markup(text, places, limit):
    evidence = [Evidence(start, end, "1") for start, end in places]
    html = str(answer_html(text, evidence, limit))
    bare = re.sub(r'<sup class="for">.*?</sup>|<span class="cut">.*?</span>', "", html)
    assert plain(bare) == plain(visible(text[:limit]))
    assert set(re.findall(r"<[^>]*>", html)) <= {
        "<mark>", "</mark>", "</span>", "</sup>", '<sup class="for">',
        '<span class="away">', '<span class="cut">',
        '<span class="escape" title="an invisible character">',
    }  # fmt: skip
