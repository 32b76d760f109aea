"""A small dataset of invented reviews with cue words for their sentiment, in two courses' formats.

It replaces SST-2 (Socher et al. 2013) and BoolQ (Clark et al. 2019), which we may not distribute,
if a model must be trained in seconds:

    train.tsv    the plot was dull and the cast felt superb but slow⇥0      sentence TAB label
    train.jsonl  {"question": "is the film worth it", "passage": ..., "label": "true"}

A review has one, three or five cues; the majority determines its sentiment. The embedding of a word
is enough to recognize a cue, so a frozen random backbone classifies some of the reviews
correctly; all of them require training.

SST-2 is tokenized: `it does n't work -lrb- for me -rrb- .` An encoder knows `doesn't` and brackets,
so its tokens are joined before the encoder's own tokenizer splits the text.
"""

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Form = Literal["sst2", "boolq"]
Part = Literal["train", "dev", "test"]

SIZES: dict[Part, int] = {"train": 2000, "dev": 500, "test": 1000}
# Positive reviews per thousand: about as many as in the datasets that the task replaces.
POSITIVE: dict[Form, int] = {"sst2": 509, "boolq": 626}

GOOD = (
    "superb", "moving", "witty", "fresh", "lovely", "gripping", "tender", "clever",
    "charming", "bright", "honest", "brilliant", "touching", "lively", "graceful", "fun",
)  # fmt: skip
BAD = (
    "dull", "stale", "clumsy", "empty", "tedious", "shallow", "noisy", "lazy",
    "bland", "slow", "silly", "hollow", "messy", "forced", "tired", "awful",
)  # fmt: skip
ASPECTS = (
    "plot", "cast", "score", "script", "ending", "pace", "dialogue", "camera",
    "opening", "hero", "music", "editing", "setting", "story", "humour", "villain",
)  # fmt: skip
VERBS = ("was", "felt", "seemed", "looked", "stayed", "turned")
LINKS = ("and", "but", "while", "though", "then")
QUESTIONS = (
    "is the film worth it", "did the critics like the film",
    "would you see the film again", "is it a good film",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Review:
    """A sentence about a film, and 1 if it praises more than it criticizes, 0 otherwise."""

    sentence: str
    label: int


def write_sentiment(folder: Path, form: Form, seed: int = 0) -> None:
    """Write the task's three files into the folder, which is created if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    names: dict[Part, str] = {"train": "train", "dev": "dev", "test": "test"}
    if form == "boolq":
        names["dev"] = "val"
    for part, reviews in make_reviews(form, seed).items():
        if form == "sst2":
            name, lines = (
                f"{names[part]}.tsv",
                [f"{review.sentence}\t{review.label}" for review in reviews],
            )
        else:
            rng = random.Random(f"{seed} {part} questions")
            name, lines = f"{names[part]}.jsonl", [as_question(review, rng) for review in reviews]
        text = "".join(f"{line}\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def as_question(review: Review, rng: random.Random) -> str:
    """Return the review as a passage with a yes/no question: a line in SuperGLUE's format."""
    answer = "true" if review.label else "false"
    row = {"question": rng.choice(QUESTIONS), "passage": review.sentence, "label": answer}
    return json.dumps(row)


def make_reviews(form: Form, seed: int = 0) -> dict[Part, tuple[Review, ...]]:
    """Return the reviews of this seed, the same on every machine; no sentence is in two parts."""
    rng = random.Random(f"{seed} {form}")
    seen: set[str] = set()
    return {
        part: tuple(draw_reviews(rng, size, positive=size * POSITIVE[form] // 1000, seen=seen))
        for part, size in SIZES.items()
    }


def draw_reviews(rng: random.Random, n: int, *, positive: int, seen: set[str]) -> list[Review]:
    """Return n new reviews in random order, exactly `positive` of them positive."""
    labels = [1] * positive + [0] * (n - positive)
    rng.shuffle(labels)
    reviews = []
    for label in labels:
        sentence = draw_sentence(rng, label)
        while sentence in seen:
            sentence = draw_sentence(rng, label)
        seen.add(sentence)
        reviews.append(Review(sentence, label))
    return reviews


def draw_sentence(rng: random.Random, label: int) -> str:
    """Return one, three or five clauses; the majority of their cues has this sentiment."""
    n = rng.choice((1, 3, 3, 5))
    majority, minority = (GOOD, BAD) if label else (BAD, GOOD)
    against = rng.randint(0, (n - 1) // 2)
    cues = [rng.choice(minority) for _ in range(against)]
    cues += [rng.choice(majority) for _ in range(n - against)]
    rng.shuffle(cues)
    clauses = [f"the {rng.choice(ASPECTS)} {rng.choice(VERBS)} {cue}" for cue in cues]
    sentence = clauses[0]
    for clause in clauses[1:]:
        sentence += f" {rng.choice(LINKS)} {clause}"
    return sentence


JOINED = (
    ("`` ", '"'), (" ''", '"'), ("-lrb- ", "("), (" -rrb-", ")"),
    (" n't", "n't"), ("can not", "cannot"), (" '", "'"), (" ,", ","), (" .", "."),
    ("\\/", "/"), ("\\*", "*"),
)  # fmt: skip


def joined(sentence: str) -> str:
    """Return the sentence with contractions, brackets and quotes as people write them."""
    for apart, together in JOINED:
        sentence = sentence.replace(apart, together)
    return sentence
