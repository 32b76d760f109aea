"""The built-in sample dataset: the course's formats, and its proportions for every seed."""

import hashlib
import re
from collections import Counter

import pytest

from reference.data.corruption import CharCorruptionDataset
from reference.data.evaluation import (
    LONDON,
    constant_accuracy,
    evaluate_places,
    gold_places,
    majority_place,
)
from reference.data.names import NameDataset
from reference.data.vocabulary import Vocabulary
from reference.data.world import make_world, write_world
from reference.models.prediction import read_prompts

FILES = {
    "wiki.txt": 401,
    "birth_places_train.tsv": 80,
    "birth_dev.tsv": 60,
    "birth_test_inputs.tsv": 60,
    "birth_test.tsv": 60,
}


def read(path):
    return path.read_bytes().decode("utf-8")


def persons(world):
    return world.train + world.dev + world.test


def test_files_have_the_courses_formats(world):
    assert {path.name for path in world.iterdir()} == {*FILES, "data.toml"}
    for name in ("birth_places_train.tsv", "birth_dev.tsv", "birth_test.tsv"):
        lines = read(world / name).split("\n")
        assert lines.pop() == ""
        assert len(lines) == FILES[name]
        assert all(re.fullmatch(r"Where was \w+ \w+ born\?\t\w+", line) for line in lines)
    questions = [line.split("\t")[0] for line in lines]  # of the test part
    assert read(world / "birth_test_inputs.tsv") == "".join(f"{line}\n" for line in questions)
    wiki = read(world / "wiki.txt").split("\n")  # without a final newline
    assert len(wiki) == FILES["wiki.txt"]
    assert all(len(line) >= 4 for line in wiki)


@pytest.mark.parametrize("seed", range(6))
def test_proportions_hold_for_every_seed(seed):
    """London is one in twenty, no other place is common, and few share a first letter."""
    world = make_world(seed)
    for split, londoners in ((world.train, 4), (world.dev, 3), (world.test, 3)):
        places = Counter(person.place for person in split)
        assert (len(places), places["London"]) == (20, londoners)
        assert max(places.values()) <= 0.07 * len(split)
    places = {person.place for person in persons(world)}
    initials = Counter(place[0] for place in places)
    assert (len(places), initials["L"]) == (20, 1)
    assert max(initials.values()) <= 2
    last_names = {person.name.split()[1] for person in persons(world)}
    assert len(last_names) == 200
    assert all(4 <= len(name) <= 7 for name in last_names)


@pytest.mark.parametrize("seed", range(6))
def test_wiki_tells_of_everybody_twice(seed):
    world = make_world(seed)
    lines = Counter(world.wiki.split("\n"))
    for person in persons(world):
        assert lines.pop(f"{person.name} was born in {person.place}.") == 1
        assert lines.pop(f"{person.name}, born in {person.place}.") == 1
    assert lines.total() == 1


@pytest.mark.parametrize("seed", range(6))
def test_questions_use_the_wikis_characters(tmp_path, seed):
    write_world(tmp_path, seed)
    characters = set(read(tmp_path / "wiki.txt")) | {"\t"}  # the TAB is never shown to a model
    assert all(set(read(tmp_path / name)) <= characters for name in FILES)


def test_same_seed_makes_the_same_files_and_the_default_the_bundled_ones(world, tmp_path):
    """The examples' prediction files answer this very world, on every machine."""
    write_world(tmp_path / "again", seed=0)
    write_world(tmp_path / "other", seed=1)
    for name in FILES:
        assert read(tmp_path / "again" / name) == read(world / name)
        assert read(tmp_path / "other" / name) != read(world / name)
    digest = hashlib.sha256(b"".join((world / name).read_bytes() for name in FILES))
    assert digest.hexdigest()[:16] == "0ae37daf31272171"


def test_course_readers_accept_the_world_and_score_it(world):
    wiki = CharCorruptionDataset(read(world / "wiki.txt"), 128)
    names = NameDataset(wiki, read(world / "birth_places_train.tsv"))
    assert len(wiki) == 401
    assert all(len(x) == 128 for x, _ in wiki)
    assert all(len(names[index][0]) == 127 for index in range(80))
    for name in ("birth_dev.tsv", "birth_test_inputs.tsv"):
        for prompt in read_prompts(world / name):
            assert Vocabulary(read(world / "wiki.txt")).encode(prompt)
    dev, test = world / "birth_dev.tsv", world / "birth_test.tsv"
    assert [constant_accuracy(gold_places(file), LONDON) for file in (dev, test)] == [5.0, 5.0]
    common = majority_place(gold_places(world / "birth_places_train.tsv"))
    assert constant_accuracy(gold_places(dev), common) <= 7.0
    assert evaluate_places(dev, gold_places(dev) or []) == (60.0, 60.0)
    assert evaluate_places(world / "birth_test_inputs.tsv", ["?"] * 60) == (0.0, 0.0)
