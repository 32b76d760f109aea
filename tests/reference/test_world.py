"""The built-in sample dataset: the course's formats, and its proportions for every seed."""

import hashlib
import re
from collections import Counter

import pytest

from reference.data.corruption import CharCorruptionDataset
from reference.data.evaluation import (
    evaluate_places,
    gold_places,
    london_baseline,
    majority_baseline,
)
from reference.data.names import NameDataset
from reference.data.vocabulary import Vocabulary
from reference.data.world import make_world, write_world
from reference.models.prediction import read_prompts

SEEDS = range(6)
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


def test_only_the_courses_files_and_their_declaration_are_written(world):
    assert {path.name for path in world.iterdir()} == {*FILES, "data.toml"}


@pytest.mark.parametrize("name", ["birth_places_train.tsv", "birth_dev.tsv", "birth_test.tsv"])
def test_answered_questions_have_the_course_format(world, name):
    lines = read(world / name).split("\n")
    assert lines.pop() == ""
    assert len(lines) == FILES[name]
    assert all(re.fullmatch(r"Where was \w+ \w+ born\?\t\w+", line) for line in lines)


def test_test_inputs_are_the_test_questions(world):
    answered = read(world / "birth_test.tsv").splitlines()
    assert read(world / "birth_test_inputs.tsv") == "".join(
        line.split("\t")[0] + "\n" for line in answered
    )


def test_wiki_has_no_final_newline(world):
    lines = read(world / "wiki.txt").split("\n")
    assert len(lines) == FILES["wiki.txt"]
    assert all(len(line) >= 4 for line in lines)


@pytest.mark.parametrize("seed", SEEDS)
def test_london_is_one_in_twenty(seed):
    world = make_world(seed)
    for split, londoners in ((world.train, 4), (world.dev, 3), (world.test, 3)):
        assert sum(person.place == "London" for person in split) == londoners


@pytest.mark.parametrize("seed", SEEDS)
def test_guessing_the_commonest_place_does_not_pay(seed):
    world = make_world(seed)
    for split in (world.train, world.dev, world.test):
        places = Counter(person.place for person in split)
        assert len(places) == 20
        assert max(places.values()) <= 0.07 * len(split)


@pytest.mark.parametrize("seed", SEEDS)
def test_last_names_are_unique(seed):
    last_names = [person.name.split()[1] for person in persons(make_world(seed))]
    assert len(set(last_names)) == 200
    assert all(4 <= len(name) <= 7 for name in last_names)


@pytest.mark.parametrize("seed", SEEDS)
def test_few_places_share_a_first_letter(seed):
    places = {person.place for person in persons(make_world(seed))}
    initials = Counter(place[0] for place in places)
    assert len(places) == 20
    assert initials["L"] == 1
    assert max(initials.values()) <= 2


@pytest.mark.parametrize("seed", SEEDS)
def test_wiki_tells_of_everybody_twice(seed):
    world = make_world(seed)
    lines = Counter(world.wiki.split("\n"))
    for person in persons(world):
        assert lines.pop(f"{person.name} was born in {person.place}.") == 1
        assert lines.pop(f"{person.name}, born in {person.place}.") == 1
    assert lines.total() == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_questions_use_the_wikis_characters(tmp_path, seed):
    write_world(tmp_path, seed)
    known = set(read(tmp_path / "wiki.txt")) | {"\t"}  # the TAB is never shown to a model
    for name in FILES:
        assert set(read(tmp_path / name)) <= known


def test_same_seed_makes_the_same_files(world, tmp_path):
    write_world(tmp_path / "again", seed=0)
    write_world(tmp_path / "other", seed=1)
    for name in FILES:
        assert read(tmp_path / "again" / name) == read(world / name)
        assert read(tmp_path / "other" / name) != read(world / name)


def test_default_world_is_the_bundled_one(world):
    """The examples' prediction files answer this very world, on every machine."""
    digest = hashlib.sha256(b"".join((world / name).read_bytes() for name in FILES))
    assert digest.hexdigest()[:16] == "0ae37daf31272171"


def test_course_readers_accept_the_world(world):
    wiki = CharCorruptionDataset(read(world / "wiki.txt"), 128)
    names = NameDataset(wiki, read(world / "birth_places_train.tsv"))
    assert len(wiki) == 401
    assert all(len(x) == 128 for x, _ in wiki)
    assert all(len(names[index][0]) == 127 for index in range(80))
    for name in ("birth_dev.tsv", "birth_test_inputs.tsv"):
        for prompt in read_prompts(world / name):
            assert Vocabulary(read(world / "wiki.txt")).encode(prompt)


def test_world_is_scored_like_the_course(world):
    dev, test = world / "birth_dev.tsv", world / "birth_test.tsv"
    assert london_baseline(dev) == london_baseline(test) == 5.0
    assert majority_baseline(world / "birth_places_train.tsv", dev) <= 7.0
    assert evaluate_places(dev, gold_places(dev) or []) == (60.0, 60.0)
    assert evaluate_places(world / "birth_test_inputs.tsv", ["?"] * 60) == (0.0, 0.0)
