"""The prefix of a student's model: its possible lengths, its value, and how it was inserted."""

from collections.abc import Sequence

import numpy as np

from graders.checks.compare import fail, is_close

from ..replies import floats
from ..tuning.model_class import ModelClass
from ..tuning.pooling import POOLED, POOLINGS, Way
from ..tuning.questions import PREFIX_LENGTH, Forward, Question

TYPE = "prefix"
EMBEDDED = (
    "Use only the word embeddings (get_input_embeddings) for the words, because the backbone "
    "itself adds positions and normalizes"
)
CALLED = (
    "Set inputs_embeds to the prefix followed by the word embeddings, and start the mask with a 1 "
    "for each prefix vector"
)
MISTAKES = {
    "twice": (
        "The words already went through the backbone's whole embedding module, so positions are "
        f"added twice. {EMBEDDED}"
    ),
    "appended": f"The prefix comes after the text instead of before it. {CALLED}",
    "appended-mask-first": f"The prefix comes after the text instead of before it. {CALLED}",
    "hidden": f"The mask is 0 for the prefix, so no word attends to it. {CALLED}",
    "mask-appended": f"The ones for the prefix come after the text's mask. {CALLED}",
    "no-mask": "The text's own mask isn't passed to the backbone, so padding counts as text",
}
SHORT = (
    "The mask is only as long as the text, but the embeddings include the prefix; the course's "
    f"version of transformers raises an error here. {CALLED}"
)
ORDERED = ("right", "twice", "appended")  # variants whose mask has the embeddings' order
BEFORE = ("right", "hidden", "mask-appended", "no-mask")  # the variants with correct embeddings
ONE = "one nn.Parameter of shape (prefix_length, d), shared by all texts"
RENEWED = (
    "forward creates a new random prefix in every call, so no prefix is ever trained. Create it in "
    f"__init__: {ONE}."
)


def prefix_question(model: ModelClass, family: str) -> Question:
    """Return a question with a prefix of random length, or of 128 if it cannot vary."""
    drawn = model.inputs.random("prefix", family).randint(3, 9)
    return model.question(family, TYPE, drawn if _varies(model) else PREFIX_LENGTH)


def _varies(model: ModelClass) -> bool:
    """Return whether the length of the prefix can be set from outside."""
    question = model.question("bert", TYPE, 2).unpadded()
    return model.forward(question).prefix == question.length * question.size


def prefix_names(model: ModelClass, question: Question, reply: Forward) -> frozenset[str]:
    """Return the prefix's parameters: those that type prefix adds to the student's full model.

    A class may also create the prefix for every type.
    """
    rest, count = reply.outside_of("rest"), question.length * question.size
    if sum(rest.values()) == count:
        return frozenset(rest)
    full = model.forward(question.of_type("full")).outside
    return frozenset(name for name, size in rest.items() if name not in full or size == count)


def require_prefix(model: ModelClass, question: Question, reply: Forward) -> None:
    """Fail unless the prefix is one parameter, or several, with the required number of vectors."""
    names = prefix_names(model, question, reply)
    rest = {name: size for name, size in reply.outside_of("rest").items() if name in names}
    count = question.length * question.size
    if sum(rest.values()) == reply.prefix == count:
        return
    hint = f"Make it {ONE}."
    if not rest and reply.prefix:
        hint = f"self.prefix is a plain tensor, so no optimizer finds it; make it {ONE}."
    elif is_prefix_renewed(question, reply):
        hint = RENEWED
    elif sum(rest.values()) == count * len(question.batch["input_ids"]):
        hint = f"Each text of the batch has its own prefix; make it {ONE}, and expand it."
    fail(
        "The prefix is not one parameter of prefix_length vectors of size d.",
        hint=hint,
        expected=f"{question.length} vectors of size {question.size}: {count:,} numbers",
        actual=", ".join(f"{name}: {size:,}" for name, size in list(rest.items())[:4]) or "none",
        counterexample={"prefix_length": str(question.length)},
    )


def is_prefix_renewed(question: Question, reply: Forward) -> bool:
    """Return whether a model without a prefix puts other vectors before the same texts each time.

    The backbone's first two calls are for the same batch.
    """
    T = question.batch["input_ids"].shape[1]
    embeddings = [floats(call.get("inputs_embeds")) for call in reply.calls[:2]]
    before = [array[:, :-T] for array in embeddings if array is not None and array.ndim == 3]
    if reply.prefix or len(before) < 2 or before[0].shape != before[1].shape:
        return False
    return bool(before[0].size) and not is_close(before[0], before[1], "attention")


def is_called_rightly(question: Question, reply: Forward) -> bool:
    """Return whether the backbone received the prefix and then the words' own embeddings."""
    table = next(
        weight for name, weight in question.weights["backbone"].items() if "word_embeddings" in name
    )
    words = table[question.batch["input_ids"]]  # (B, T, D)
    prefix = np.broadcast_to(
        question.weights["prefix"], (len(words), *question.weights["prefix"].shape)
    )
    expected = np.concatenate((prefix, words), axis=1)
    embeddings = [floats(call.get("inputs_embeds")) for call in reply.calls]
    return any(array is not None and is_close(array, expected, "attention") for array in embeddings)


def is_masked_rightly(question: Question, reply: Forward) -> bool:
    """Return whether the backbone received ones for the prefix and then the text's mask."""
    mask = question.batch["attention_mask"]
    ones = np.ones((len(mask), question.length), dtype=mask.dtype)
    expected = np.concatenate((ones, mask), axis=1)
    masks = [floats(call.get("attention_mask")) for call in reply.calls]
    return any(array is not None and is_close(array, expected, "exact") for array in masks)


def has_wrong_length(question: Question, reply: Forward) -> bool:
    """Return whether a mask is not as long as prefix and text; some versions allow that."""
    masks = [call.get("attention_mask") for call in reply.calls if "inputs_embeds" in call]
    length = question.length + question.batch["input_ids"].shape[1]
    return any(mask is not None and mask.shape[-1] != length for mask in masks)


def is_mask_too_short(reply: Forward) -> bool:
    """Return whether a mask is shorter than the embeddings that it is for."""
    pairs = [(call.get("attention_mask"), call.get("inputs_embeds")) for call in reply.calls]
    return any(
        mask is not None
        and embeddings is not None
        and embeddings.ndim == 3
        and mask.shape[-1] < embeddings.shape[1]
        for mask, embeddings in pairs
    )


def known_mistake(ways: Sequence[Way]) -> str:
    """Return the hint for the only known mistake that gives the student's logits, or a general one.

    On texts of equal length, several variants may give the same logits; then the correct one is not
    reported as a mistake.
    """
    calls = {way.called for way in ways}
    poolings = {way.pooled for way in ways}
    if "right" in calls:
        named = {POOLINGS.get(pooling, "") for pooling in poolings}
        says = f"{named.pop()}. {POOLED}." if len(named) == 1 and "" not in named else ""
    else:
        named = {MISTAKES.get(call, "") for call in calls}
        says = f"{named.pop()}." if len(named) == 1 and "" not in named else ""
    return says or f"{CALLED}. {POOLED}."
