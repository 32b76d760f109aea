"""The prefix of a student's model: how long it can be, what it is, and how it was put in."""

from collections.abc import Sequence

import numpy as np
from hw6_asked import Asked
from hw6_pooling import POOLED, POOLINGS, Way
from hw6_replies import floats
from hw6_tuning import PREFIX_LENGTH, Forward, Question

from graders.checks.compare import fail, is_close

TYPE = "prefix"
EMBEDDED = (
    "The words are looked up in the word embeddings alone (get_input_embeddings): the backbone "
    "adds positions and normalizes by itself"
)
CALLED = "inputs_embeds is the prefix, then the words; the mask a one for each vector of the prefix"
MISTAKES = {
    "twice": (
        "The words go through all of the backbone's embeddings before they are given to it, so "
        f"positions are added twice. {EMBEDDED}"
    ),
    "appended": f"The prefix stands behind the text, not before it: {CALLED}",
    "appended-mask-first": f"The prefix stands behind the text, not before it: {CALLED}",
    "hidden": f"The mask is 0 for the prefix, so no word sees it: {CALLED}",
    "mask-appended": f"The ones for the prefix stand behind the text's mask: {CALLED}",
    "no-mask": "The text's own mask is not given to the backbone: padding is read as text",
}
SHORT = (
    "The mask is as long as the text, and the embeddings have the prefix, too: the course's "
    f"version of transformers raises here. {CALLED}"
)
ORDERED = ("right", "twice", "appended")  # the ways in which the mask goes with the embeddings
ONE = "one nn.Parameter of shape (prefix_length, d), the same for every text"


def prefix_question(asked: Asked, family: str, length: int | None = None) -> Question:
    """A question with a prefix of this length or a drawn one; of 128 where it cannot vary."""
    drawn = asked.inputs.random("prefix", family).randint(3, 9)
    question = asked.question(family, TYPE, drawn if length is None else length)
    return question if varies(asked) else asked.question(family, TYPE, PREFIX_LENGTH)


def varies(asked: Asked) -> bool:
    """Whether the length of the prefix can be set from outside."""
    question = asked.question("bert", TYPE, 2).unpadded()
    return asked.forward(question).prefix == question.length * question.size


def require_prefix(question: Question, came: Forward) -> None:
    """Fail where the prefix is not one parameter of so many vectors."""
    rest = came.outside_of("rest")
    wanted = question.length * question.size
    if list(rest.values()) == [wanted]:
        return
    hint = f"It is {ONE}."
    if not rest and came.prefix:
        hint = f"self.prefix is a tensor that no optimizer finds; make it {ONE}."
    elif sum(rest.values()) == wanted * len(question.batch["input_ids"]):
        hint = f"There is a prefix for each text of the batch; make it {ONE}, and expand it."
    fail(
        "The prefix is not one parameter of prefix_length times d numbers.",
        hint=hint,
        expected=f"{question.length} vectors of {question.size}: {wanted:,} numbers",
        actual=", ".join(f"{name}: {size:,}" for name, size in list(rest.items())[:4]) or "none",
        counterexample={"prefix_length": str(question.length)},
    )


def is_called_rightly(question: Question, came: Forward) -> bool:
    """Whether the backbone was given the prefix and then the words' own embeddings."""
    table = next(
        each for name, each in question.weights["backbone"].items() if "word_embeddings" in name
    )
    words = table[question.batch["input_ids"]]  # (B, T, D)
    prefix = np.broadcast_to(
        question.weights["prefix"], (len(words), *question.weights["prefix"].shape)
    )
    wanted = np.concatenate((prefix, words), axis=1)
    given = [floats(call.get("inputs_embeds")) for call in came.calls]
    return any(each is not None and is_close(each, wanted, "attention") for each in given)


def is_masked_rightly(question: Question, came: Forward) -> bool:
    """Whether the backbone was given ones for the prefix and then the text's mask."""
    mask = question.batch["attention_mask"]
    ones = np.ones((len(mask), question.length), dtype=mask.dtype)
    wanted = np.concatenate((ones, mask), axis=1)
    given = [floats(call.get("attention_mask")) for call in came.calls]
    return any(each is not None and is_close(each, wanted, "exact") for each in given)


def is_mask_too_short(question: Question, came: Forward) -> bool:
    """Whether the mask has another length than the embeddings; some versions let that pass."""
    masks = [call.get("attention_mask") for call in came.calls if "inputs_embeds" in call]
    length = question.length + question.batch["input_ids"].shape[1]
    return any(isinstance(each, np.ndarray) and each.shape[-1] != length for each in masks)


def known_mistake(question: Question, came: Forward, found: Sequence[Way]) -> str:
    """The hint for the way that gives the student's logits, or a general one."""
    if is_mask_too_short(question, came):
        return f"{SHORT}."
    for way in found:
        if way.called in MISTAKES:
            return f"{MISTAKES[way.called]}."
        if way.pooled in POOLINGS:
            return f"{POOLINGS[way.pooled]} ({POOLED})."
    return f"{EMBEDDED}; {CALLED}."
