import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from reports import write_student_page

VOID = {"meta", "link", "img", "br", "input", "hr"}


class Page(HTMLParser):
    """The tags, attributes and text a browser sees."""

    def __init__(self, text):
        super().__init__()
        self.source, self.tags, self.attributes, self.text = text, [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_data(self, data):
        self.text += data

    def all(self, name):
        return [value for _, key, value in self.attributes if key == name]


@pytest.fixture
def page(tmp_path):
    return lambda result: Page(write_student_page(result, tmp_path).read_text(encoding="utf-8"))


def test_page_lies_in_reports(tmp_path, graded):
    assert write_student_page(graded, tmp_path) == tmp_path / "reports" / "ada.html"


@pytest.mark.parametrize(
    "words",
    [
        "Ada Lovelace",
        "Graded",
        "12 of 14 points",
        "Check b holds.",
        "The exponent's sign is turned round",
        "Ada⁇□",
        r"Ada L\t",
        "block size",
        "The code is in src.",
        "3.11",
    ],
)
def test_student_reads(page, graded, words):
    assert words in re.sub(r"\s+", " ", page(graded).text)


def test_hidden_criteria_are_not_in_the_source(page, graded):
    hidden = page(graded)
    assert "Hidden accuracy" not in hidden.source
    assert "1 more criterion" in hidden.text
    assert "secret" not in hidden.source
    for total in ("15 of", "of 20"):  # either one would tell what the hidden criterion gave
        assert total not in hidden.text


def test_incomplete_has_no_total(page, incomplete):
    text = page(incomplete).text
    assert "No total yet" in text
    assert "You lose no points" in text
    assert not re.search(r"\d+ of 14", text)
    assert "The sandbox did not start." in text


def test_undecided_hidden_criterion_leaves_no_total(page, make_result, graded, incomplete):
    rotary, files, secret = graded.criteria
    (ours, _) = incomplete.criteria
    waiting = type(secret)(secret.criterion, "error", None, ours.checks)
    text = page(make_result(rotary, files, waiting)).text
    assert "No total yet" in text
    assert "The sandbox did not start." not in text


def test_our_faults_are_not_in_the_source(page, make_result, graded):
    environment = {"faults": ["the-secret-input"], "python": "3.11", "other": "the-secret-input"}
    told = page(make_result(*graded.criteria, environment=environment)).source
    assert "3.11" in told
    assert "secret-input" not in told


def test_rejected_says_why(page, rejected):
    text = page(rejected).text
    assert "Not accepted" in text
    assert "You lose no points" not in text
    assert "The archive is cut off." in text


def test_hostile_text_stays_text(page, hostile):
    attacked = page(hostile)
    assert "script" not in attacked.tags
    assert "img" not in attacked.tags
    assert not [name for _, name, _ in attacked.attributes if name.startswith("on")]
    assert "<script>alert(1)</script>" in attacked.text
    assert not re.search("[\x00\x1b\u202e\ud800]", attacked.source)
    assert len(attacked.source) < 100_000


def test_page_needs_no_network(page, graded):
    policy = page(graded).all("content")[0]
    assert policy.startswith("default-src 'none'")
    assert not page(graded).all("src")
    assert all(link.startswith("#") for link in page(graded).all("href"))
    assert not re.search(r"https?:|url\(|@import", page(graded).source)


def test_policy_admits_only_our_style(page, graded):
    source = page(graded).source
    style = re.search("<style>(.*?)</style>", source, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = page(graded).all("content")[0]
    assert f"style-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert "script-src" not in policy
    assert not page(graded).all("style")


def test_headings_skip_no_level(page, graded):
    levels = [int(tag[1]) for tag in page(graded).tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


WAYS = {
    *("Raised an error", "Ended itself", "Crashed", "Timed out", "Out of memory"),
    *("Answer not usable", "Skipped: depends on a failed check", "Failed"),
}


def test_every_way_to_end_has_its_own_word(page, unanswered):
    text = page(unanswered).text
    assert {way for way in WAYS if way in text} == WAYS


def test_a_way_to_end_is_said_in_words_beside_its_sign(page, unanswered):
    chip = r'<span class="chip failed"><svg.*?</svg>([^<]*)</span>'
    signs = re.findall(chip, page(unanswered).source, re.DOTALL)
    assert "Timed out" in signs
    assert "" not in map(str.strip, signs)
