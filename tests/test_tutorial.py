"""The tutorial's files are as it says, and its commands print what it shows."""

import re

import pytest

from tests.console import ROOT, blocks_of, say, typed_in, with_softmark_on_the_path, write_file

PAGE = ROOT / "docs" / "tutorial.md"


def words_of(text):
    return re.sub(r"\s+", " ", text)


@pytest.mark.long
def test_the_tutorial_does_what_it_shows(tmp_path):
    env, place = with_softmark_on_the_path(tmp_path / "bin"), tmp_path / "empty"
    place.mkdir()
    typed = 0
    for block in blocks_of(PAGE.read_text(encoding="utf-8")):
        if block.title:
            write_file(block, place)
        for each in typed_in(block):
            typed += 1
            done = say(each.command, cwd=place, env=env)
            assert done.returncode == 0, f"{each.command}\n{done.stdout}"
            for line in each.shown:
                assert words_of(line).strip() in words_of(done.stdout), each.command
    assert typed >= 6
    assert "Subtract the largest value" in (place / "out" / "reports" / "bob.html").read_text()
    assert "bob" in (place / "out" / "index.html").read_text()
