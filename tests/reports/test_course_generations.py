"""The course page's report on generations: who gains, who loses."""

from dataclasses import replace

import pytest

from graders.registry.discovery import load_assignment
from graders.storage.store import CacheKey, open_store
from reports.course.files import show_draft, write_course
from reports.course.generations import comparisons
from tests.conftest import edit
from tests.console import softmark

TASK = "cs224n-a4"


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path) as store:
        yield store


@pytest.fixture
def fill(store, make_result, graded):
    """`fill(checks, scores)`: a generation with these scores by submission; its number."""

    def put(checks, scores, *, draft=False):
        number = store.begin(load_assignment(TASK), checks, draft=draft)
        for name, score in scores.items():
            status = "incomplete" if score is None else "graded"
            result = make_result(*graded.criteria, submission=name, score=score, status=status)
            store.put(number, result, CacheKey(f"{checks}-{score}", "{}", {}))
        return number

    return put


def test_one_generation_is_compared_with_nothing(store, fill):
    fill("a", {"ada": 1.0})
    assert comparisons(store) == ()


def test_a_draft_is_held_against_what_is_published(store, fill):
    fill("a", {"ada": 1.0, "bob": 2.0, "cyd": 3.0, "dan": None, "eve": 1.0})
    fill("b", {"ada": 2.0, "bob": 1.0, "cyd": 3.0, "dan": None, "eve": None}, draft=True)
    (compared,) = comparisons(store)
    assert (compared.before, compared.after, compared.draft) == (1, 2, True)
    assert (compared.gaining, compared.losing, compared.keeping, compared.apart) == (1, 1, 2, 1)


def test_a_published_one_is_held_against_the_one_before_without_who_is_gone(store, fill):
    fill("a", {"ada": 1.0, "bob": 2.0})
    second = fill("b", {"ada": 2.0})
    (compared,) = comparisons(store)
    assert (compared.before, compared.after, compared.draft) == (1, 2, False)
    assert (compared.gaining, compared.keeping) == (1, 1), "bob's Result is the same in both"
    store.unlist(second, ["bob"])
    assert comparisons(store)[0].submissions == 1


def test_the_page_says_it_and_leads_to_the_differences(store, fill, tmp_path):
    task = replace(load_assignment(TASK), settings={})
    fill("a", {"ada": 1.0, "bob": 2.0})
    write_course(store, task=task, out=tmp_path)
    assert "is a draft" not in (tmp_path / "index.html").read_text()
    fill("b", {"ada": 2.0, "bob": 2.0}, draft=True)
    (tmp_path / "regrade.html").touch()
    show_draft(store, task=task, out=tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert "Generation 2 is a draft that students do not see" in page
    assert "<strong>1</strong> up, <strong>0</strong> down, 1 unchanged." in page
    assert '<a href="regrade.html">' in page


def test_regrade_shows_its_draft_on_the_course_page(tiny_folder, hand_in, tmp_path):
    uploads, out = hand_in("ada", answer_txt="41").parent, tmp_path / "out"
    task = ("--out", out, "--executor", "serial")
    graded = softmark("batch", tiny_folder, uploads, *task, "--only", "answer")
    assert graded.returncode == 0, graded.stderr
    edit(tiny_folder / "checks.py", 'if text == "41"', 'if text == "40"')
    assert softmark("regrade", tiny_folder, *task).returncode == 0
    page = (out / "index.html").read_text()
    assert "<strong>0</strong> up, <strong>1</strong> down" in page
    assert '<a href="regrade.html">' in page
    assert softmark("regrade", tiny_folder, *task, "--publish").returncode == 0
    assert "Generation 2 replaced generation 1" in (out / "index.html").read_text()
