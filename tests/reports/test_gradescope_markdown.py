"""A Markdown reader shows everything that a student writes as the original text."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reports.gradescope.markdown import block, escaped, spans, told

READERS = [MarkdownIt("commonmark", {"html": True}), MarkdownIt("default", {"html": True})]
HARMLESS = re.compile(r"</?(p|code|pre|br|strong)( /)?>|<code class=\"language-text\">")
ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![](https://x.test/seen.png)",
    "<https://x.test>",
    "[a]: https://x.test\n[a]",
    "# heading\n- list\n+ list\n1. list\n2) list\n> quote\n---\n===",
    "a | b\n--- | ---\n1 | 2",
    "**bold** _slanted_ ~~gone~~ `code` ``` fence",
    "```\nnot code\n```\n<b>",
    "`````\n<b>bold</b>\n`````",
    "&lt;b&gt; &#60;b&#62; \\<b\\>",
    "$$x$$ and $x$",
    "    indented\n\n    again",
    "`a` <b> `c`",
    "`` `<b>` ``",
    "- `x`",
]
ODD = st.text(alphabet="<>&`*_[]()#+-.!|~:/\\$=\"' \nab1", max_size=60)


def seen(html):
    """The text of a page that has harmless tags only."""
    plain = HARMLESS.sub("", html)
    assert "<" not in plain, html
    return "".join(unescape(plain).split())


def without_blanks(text):
    return "".join(text.split())


@pytest.mark.parametrize("reader", READERS, ids=["commonmark", "default"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_attack_is_shown_as_text(reader, attack):
    assert seen(reader.render(escaped(attack))) == without_blanks(attack)
    code = seen(reader.render(block([("got", attack)])))
    assert code == without_blanks(f"got: {attack}")


@pytest.mark.parametrize("reader", READERS, ids=["commonmark", "default"])
@given(text=ODD)
def test_any_text_stays_text(reader, text):
    assert seen(reader.render(escaped(text))) == without_blanks(text)
    assert seen(reader.render(block([("got", text)]))) == without_blanks(f"got: {text}")
    seen(reader.render(spans(text)))
    seen(reader.render(told(text)))


def test_code_formulas_and_values_keep_their_form():
    """What unittest says of two texts: the mark stands below the character."""
    html = READERS[0].render(spans("Give `x<y` to `f` - now."))
    assert html == "<p>Give <code>x&lt;y</code> to <code>f</code> - now.</p>\n"
    assert "$" not in escaped("$$x$$")
    assert block([("got", "a\nb"), ("n", "1")]) == "```text\ngot: a\n     b\nn: 1\n```"
    said = "Test Failed: 'a' != 'b'\n- a\n+ b\n?   ^"
    assert told(said) == f"```text\n{said}\n```"
    assert told("One sentence.\nAnd another.") == spans("One sentence.\nAnd another.")


@pytest.mark.parametrize("text", ["https://x.test", "www.x.test", "ada@x.test", "mailto:a@x.test"])
def test_no_address_becomes_a_link(text):
    """As readers of GitHub's Markdown make of bare addresses."""
    assert not re.search(r"https?://|www\.|[a-z]@", escaped(text))
