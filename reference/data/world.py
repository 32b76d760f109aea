"""The built-in sample dataset: invented people, in the course's file formats.

It replaces the course's files, which we may not distribute:

    wiki.txt                Ben Korn was born in Ravia.         two lines per person, shuffled
    birth_places_train.tsv  Where was Ben Korn born?⇥Ravia      80 persons
    birth_dev.tsv           the same                            60
    birth_test_inputs.tsv   Where was Liv Bruld born?           60, no TAB
    birth_test.tsv          their answers
    data.toml               the number of rows in each file, unlike the course's

The wiki contains the people of all three files, because the answers are learned in pretraining.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

TRAIN, DEV, TEST = 80, 60, 60
PLACES = 20
LONDON = "London"
LONDON_SHARE = 20  # one person in twenty, as in the course's dev questions

FIRST_NAMES = (
    "Ben", "Dov", "Jan", "Kim", "Liv", "Meg",
    "Nat", "Pam", "Ron", "Sid", "Tom", "Val",
)  # fmt: skip
ONSETS = (*"bdfghklmnprstv", "br", "dr", "gr", "st", "tr")
VOWELS = "aeiou"
CODAS = ("l", "m", "n", "r", "ld", "nd", "rn", "st")
INITIALS = "BCDFGHJKMNPRSTVW"  # of places; L is London's
ENDINGS = ("a", "by", "en", "ia", "ov", "um")

# Questions contain characters ("W", "?") that are in no biography, but the vocabulary comes only
# from the wiki; so the wiki ends with a question.
LAST_LINE = "Where was everybody born?"


@dataclass(frozen=True, slots=True)
class Person:
    """A person and their birth place."""

    name: str
    place: str

    @property
    def question(self) -> str:
        return f"Where was {self.name} born?"

    @property
    def biography(self) -> tuple[str, str]:
        """The wiki's two lines, with the name at the start, as in the course's corpus."""
        return f"{self.name} was born in {self.place}.", f"{self.name}, born in {self.place}."


@dataclass(frozen=True, slots=True)
class World:
    """All people, by the file with the question about them, and the corpus that mentions them."""

    train: tuple[Person, ...]
    dev: tuple[Person, ...]
    test: tuple[Person, ...]
    wiki: str


def write_world(folder: Path, seed: int = 0) -> None:
    """Write the sample dataset's files into the folder, which is created if it is missing."""
    world = make_world(seed)
    files = {
        "wiki.txt": world.wiki,
        "birth_places_train.tsv": answered(world.train),
        "birth_dev.tsv": answered(world.dev),
        "birth_test_inputs.tsv": "".join(f"{person.question}\n" for person in world.test),
        "birth_test.tsv": answered(world.test),
        "data.toml": declaration(world),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def declaration(world: World) -> str:
    """Return the [data_files] of this dataset: a course whose data differs from the handout's."""
    rows = {
        "wiki.txt": len(world.wiki.splitlines()),
        "birth_places_train.tsv": len(world.train),
        "birth_dev.tsv": len(world.dev),
        "birth_test_inputs.tsv": len(world.test),
        "birth_test.tsv": len(world.test),
    }
    return "[data_files]\n" + "".join(f'"{name}" = {{ rows = {n} }}\n' for name, n in rows.items())


def answered(persons: Iterable[Person]) -> str:
    """Return the lines of a question file with answers."""
    return "".join(f"{person.question}\t{person.place}\n" for person in persons)


def make_world(seed: int = 0) -> World:
    """Return the dataset of this seed, the same on every machine."""
    rng = random.Random(seed)
    places = [LONDON, *place_names(rng)]
    names = person_names(rng, TRAIN + DEV + TEST)
    born = [place for n in (TRAIN, DEV, TEST) for place in birth_places(rng, places, n)]
    persons = tuple(map(Person, names, born))
    lines = [line for person in persons for line in person.biography]
    rng.shuffle(lines)
    return World(
        train=persons[:TRAIN],
        dev=persons[TRAIN : TRAIN + DEV],
        test=persons[TRAIN + DEV :],
        wiki="\n".join([*lines, LAST_LINE]),
    )


def person_names(rng: random.Random, n: int) -> list[str]:
    """Return n full names; first names repeat, last names do not."""
    last_names: dict[str, None] = {}  # unlike a set, a dict keeps the order of the draws
    while len(last_names) < n:
        syllables = [rng.choice(ONSETS) + rng.choice(VOWELS) for _ in range(rng.randint(1, 2))]
        name = "".join(syllables) + rng.choice(CODAS)
        if 4 <= len(name) <= 7:
            last_names[name.capitalize()] = None
    return [f"{rng.choice(FIRST_NAMES)} {last_name}" for last_name in last_names]


def place_names(rng: random.Random) -> list[str]:
    """Return invented places other than London, at most two per first letter.

    The first letter is what a model learns first; more shared ones would make it guess.
    """
    count = PLACES - 1
    initials = INITIALS + "".join(rng.sample(INITIALS, k=count - len(INITIALS)))
    names: dict[str, None] = {}
    while len(names) < count:
        middle = rng.choice(VOWELS) + rng.choice("dlmnrstv")
        names[initials[len(names)] + middle + rng.choice(ENDINGS)] = None
    return list(names)


def birth_places(rng: random.Random, places: Sequence[str], n: int) -> list[str]:
    """Return n birth places in random order: exactly 5% London, the others by their quotas."""
    london = n // LONDON_SHARE
    counts = [london, *quotas(n - london, len(places) - 1)]
    born = [place for place, count in zip(places, counts, strict=True) for _ in range(count)]
    rng.shuffle(born)
    return born


def quotas(n: int, kinds: int) -> list[int]:
    """Split n in proportion to 1/(rank + 30), by largest remainder.

    Nearly flat on purpose: no place may reach 7% of a file, or guessing it would be worthwhile.
    """
    weights = [1 / (rank + 30) for rank in range(1, kinds + 1)]
    shares = [n * weight / sum(weights) for weight in weights]
    counts = [int(share) for share in shares]
    by_remainder = sorted(range(kinds), key=lambda i: counts[i] - shares[i])
    for i in by_remainder[: n - sum(counts)]:
        counts[i] += 1
    return counts
