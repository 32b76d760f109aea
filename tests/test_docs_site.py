"""The docs as a site: every link works, and nothing is loaded from elsewhere."""

import re
import subprocess
import sys

import pytest

from tests.console import ROOT
from tests.reports.chromium import needs_chromium

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site as built, with warnings as errors: links, anchors, pages that no menu names."""
    pytest.importorskip("material", reason="mkdocs-material is not installed")
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_a_page_loads_nothing_from_elsewhere(site):
    elsewhere = re.compile(r"""<(?:script|link|img)[^>]+(?:src|href)=["']?(?:https?:)?//[^>]*>""")
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        assert not elsewhere.findall(page.read_text(encoding="utf-8"))


def test_security_is_shown_and_stays_one_file(site):
    text = (site / "security.html").read_text(encoding="utf-8")
    assert "What is promised" in text
    assert 'href="concepts.html"' in text
    assert "What is promised" not in (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def test_the_menu_leads_each_reader_to_a_guide(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    for guide in ("instructor", "student", "ci"):
        assert f'href="guides/{guide}.html"' in text


COPIED = """document.addEventListener('copy', () => {
    window.copied = document.activeElement.value || document.getSelection().toString();
})"""


@pytest.mark.browser
@needs_chromium
def test_what_is_copied_is_what_one_types(site, browser):
    """Neither the prompt of a console block nor the answer below a command."""
    with browser.new_page() as page:
        page.goto((site / "tutorial.html").as_uri())
        page.evaluate(COPIED)
        block = page.locator(".highlight", has_text="$ softmark validate").first
        block.locator("button").first.click()
        page.wait_for_function("window.copied")
        assert page.evaluate("window.copied").strip() == "softmark validate softmax"
