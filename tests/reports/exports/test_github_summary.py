from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from reports.exports import github
from reports.exports.github import summary_text
from tests.reports.conftest import CODE, check_result, criterion_result

OURS = {
    "h2", "p", "table", "thead", "tbody", "tr", "th", "td",
    "code", "details", "summary", "pre", "strong",
}  # fmt: skip
ATTACKS = [
    "| cells | of | a | table |",
    "```block``` ~~~ `",
    "<script>alert(1)</script>",
    "</pre></details><img src=x onerror=y>",
    "![image](http://x.test/i.png) [link](javascript:x)",
    "http://x.test www.x.test <http://x.test>",
    "&lt;b&gt; &#60;b&#62;",
    "# heading",
    "1. one\n\n    - two\n\n> three\n***\n<!-- four -->",
    "$$x$$ :tada: ~~gone~~ **bold** _it_ \\",
    "\u202eevil\x1b[31m\x00",
]


class Page(HTMLParser):
    """The elements and the text of a summary, as a browser would have them."""

    def __init__(self, markdown):
        super().__init__()
        self.tags, self.text = set(), ""
        self.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name != "style"]

    def handle_data(self, data):
        self.text += data.replace("\u200b", "")


@pytest.fixture
def failing(make_result):
    def make(text, of=CODE, **changes):
        words = {"message": text, "hint": text, "expected": text, "actual": text}
        check = check_result("failed", counterexample=((text, text),), **words)
        return make_result(criterion_result(of, check), **changes)

    return make


def test_what_is_expected_is_told_once(make_result):
    rows = (("expected", "data[2]"), ("actual", "Bob"))
    check = check_result("failed", expected="data[2]", actual="not Ada", counterexample=rows)
    text = Page(summary_text(make_result(criterion_result(CODE, check)))).text
    assert text.count("data[2]") == 1
    assert text.index("Actual") < text.index("not Ada") < text.index("Example actual")


def test_the_score_comes_first_and_a_failure_says_what_came(graded):
    text = summary_text(graded, ["Only the public half."])
    assert text.startswith("## Toy assignment: 15 of 20 points\n")
    assert "| Rotary embedding | 2 of 4 | Partial credit | 1 passed, 1 failed |" in text
    page = Page(text)
    assert page.text.index("Only the public half.") < page.text.index("Criterion")
    for words in (
        "Failed. Rotary embedding: Check b holds.",
        "Expected",
        "Ada⁇□",
        "Actual",
        "Ada □",
    ):
        assert words in page.text
    assert {"details", "pre"} <= page.tags


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_text_of_a_student_is_markup(failing, attack):
    page = Page(summary_text(failing(attack, title=attack), [attack]))
    assert page.tags <= OURS
    visible = attack.splitlines()[0].strip().replace("\u202e", "\\u202e")
    assert visible.replace("\x1b", "\\x1b").replace("\x00", "\\x00") in page.text


def test_code_is_set_as_code_and_names_are_parted_from_their_sign(failing):
    assert "<code>x&#91;0&#93;</code> is wrong" in summary_text(failing("`x[0]` is wrong"))
    text = summary_text(failing("ask @octocat about #12"))
    assert "&#64;&#8203;octocat" in text
    assert "&#35;&#8203;12" in text


def test_no_total_is_none_of_the_numbers(incomplete, rejected):
    assert "## Toy assignment: Not fully graded\n" in summary_text(incomplete)
    assert "| Rotary embedding | not decided of 4 |" in summary_text(incomplete)
    assert "## Toy assignment: Not accepted\n" in summary_text(rejected)


def test_a_summary_is_cut_with_a_sentence_and_a_long_message_takes_little_room(
    make_result, failing
):
    long = [check_result("failed", check_id=str(i), message="<" * 1200) for i in range(400)]
    text = summary_text(make_result(criterion_result(CODE, *long)))
    assert 1_000_000 < len(text.encode()) <= 1024 * 1024
    assert text.endswith(github.CUT)
    assert Page(text).tags <= OURS
    assert len(summary_text(failing("x" * 2**20))) < 20_000


def test_a_course_is_a_row_a_submission(export, graded, incomplete, by):
    text = export("github", by("a|b", of=graded), incomplete).text
    page = Page(text)
    assert text.count("\n| ") == 3
    assert "a|b" in page.text
    assert "15 of 20 points" in page.text
    assert "Not fully graded" in page.text
