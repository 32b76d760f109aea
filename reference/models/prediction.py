"""Greedy answers of a model to the course's question files."""

from collections.abc import Sequence
from pathlib import Path

import torch

from reference.data.vocabulary import MASK, Vocabulary
from reference.models.decoding import GreedyDecoder
from reference.models.gpt import GPT

STEPS = 32  # characters the course's script samples, whatever they are
AT_ONCE = 128  # prompts a batch: keys and values of more leave the cache of a CPU
SHRINK = 0.75  # a batch is made smaller when a quarter of its rows have answered


def read_prompts(path: Path | str) -> list[str]:
    """Each line up to its TAB, with a MASK behind it.

    A line without a TAB keeps its newline before the MASK. That is the course's script, and a
    model asked otherwise gives other answers than the student's file.
    """
    with open(path, encoding="utf-8") as file:
        return [line.split("\t")[0] + MASK for line in file]


@torch.no_grad()
def predict_places(model: GPT, vocabulary: Vocabulary, prompts: Sequence[str]) -> list[str]:
    """What the model says between the first and the second MASK, for each prompt.

    The answers are those of the course's loop, which asks one prompt at a time and always for
    STEPS characters: prompts beside each other do not see each other, and what follows the second
    MASK is cut off anyway.
    """
    model.eval()
    rows = [vocabulary.encode(prompt) for prompt in prompts]
    by_length = sorted(range(len(rows)), key=lambda i: len(rows[i]))  # little padding in a batch
    for some in (by_length[i : i + AT_ONCE] for i in range(0, len(rows), AT_ONCE)):
        together = [i for i in some if len(rows[i]) + STEPS <= model.config.block_size]
        if together:
            said = continuations(model, [rows[i] for i in together], vocabulary.stoi[MASK])
            for i, characters in zip(together, said, strict=True):
                rows[i] += characters
        for i in set(some) - set(together):
            rows[i] = sample(model, rows[i])
    return [vocabulary.decode(row).split(MASK)[1] for row in rows]


def continuations(model: GPT, prompts: Sequence[Sequence[int]], stop: int) -> list[list[int]]:
    """The greedy characters behind each prompt, up to `stop` or STEPS of them."""
    said: list[list[int]] = [[] for _ in prompts]
    decoder = GreedyDecoder(model, prompts, STEPS)
    active = list(range(len(prompts)))  # the prompt of each of the decoder's rows
    for _ in range(STEPS):
        best = decoder.logits.argmax(-1)  # (B,)
        for i, character in zip(active, best.tolist(), strict=True):
            if stop not in said[i]:
                said[i].append(character)
        going_on = [row for row, i in enumerate(active) if stop not in said[i]]
        if not going_on:
            break
        if len(going_on) <= SHRINK * len(active):  # each shrinking copies all keys and values
            rows = torch.tensor(going_on, device=best.device)
            decoder.keep(rows)
            best, active = best[rows], [active[row] for row in going_on]
        decoder.step(best)
    return said


def sample(model: GPT, row: Sequence[int]) -> list[int]:
    """The row with STEPS more characters, where these outgrow the block.

    The context then slides, every character gets another position, and nothing can be kept.
    """
    row = list(row)
    device = model.head.weight.device
    for _ in range(STEPS):
        context = torch.tensor([row[-model.config.block_size :]], device=device)  # (1, T)
        logits, _ = model(context)
        row.append(int(logits[0, -1].argmax()))
    return row
