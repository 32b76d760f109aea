"""Answer the course's question files with a model, by greedy decoding."""

from collections.abc import Sequence
from pathlib import Path

import torch

from reference.data.vocabulary import MASK, Vocabulary
from reference.models.decoding import GreedyDecoder
from reference.models.gpt import GPT

STEPS = 32  # the course's script always samples this many characters
AT_ONCE = 128  # prompts per batch: with more, keys and values don't fit in a CPU's cache
SHRINK = 0.75  # a batch shrinks when a quarter of its rows have answered


def read_prompts(path: Path | str) -> list[str]:
    """Return each line up to its TAB, followed by a MASK.

    A line without a TAB keeps its newline before the MASK. The course's script does this, and other
    prompts would give other answers than the student's file.
    """
    with open(path, encoding="utf-8") as file:
        return [line.split("\t")[0] + MASK for line in file]


@torch.no_grad()
def predict_places(model: GPT, vocabulary: Vocabulary, prompts: Sequence[str]) -> list[str]:
    """Return the model's answer between the first and the second MASK, for each prompt.

    The answers equal those of the course's loop, which processes one prompt at a time and always
    samples STEPS characters: prompts in a batch do not affect each other, and what follows the
    second MASK is cut off anyway.
    """
    model.eval()
    rows = [vocabulary.encode(prompt) for prompt in prompts]
    by_length = sorted(range(len(rows)), key=lambda i: len(rows[i]))  # little padding in a batch
    for some in (by_length[i : i + AT_ONCE] for i in range(0, len(rows), AT_ONCE)):
        together = [i for i in some if len(rows[i]) + STEPS <= model.config.block_size]
        if together:
            answers = continuations(model, [rows[i] for i in together], vocabulary.stoi[MASK])
            for i, characters in zip(together, answers, strict=True):
                rows[i] += characters
        for i in set(some) - set(together):
            rows[i] = sample(model, rows[i])
    return [vocabulary.decode(row).split(MASK)[1] for row in rows]


def continuations(model: GPT, prompts: Sequence[Sequence[int]], stop: int) -> list[list[int]]:
    """Return the greedy characters after each prompt, up to `stop` or STEPS of them."""
    answers: list[list[int]] = [[] for _ in prompts]
    decoder = GreedyDecoder(model, prompts, STEPS)
    active = list(range(len(prompts)))  # the prompt of each of the decoder's rows
    for _ in range(STEPS):
        best = decoder.logits.argmax(-1)  # (B,)
        for i, character in zip(active, best.tolist(), strict=True):
            if stop not in answers[i]:
                answers[i].append(character)
        going_on = [row for row, i in enumerate(active) if stop not in answers[i]]
        if not going_on:
            break
        if len(going_on) <= SHRINK * len(active):  # each reduction copies all keys and values
            rows = torch.tensor(going_on, device=best.device)
            decoder.keep(rows)
            best, active = best[rows], [active[row] for row in going_on]
        decoder.step(best)
    return answers


def sample(model: GPT, row: Sequence[int]) -> list[int]:
    """Return the row with STEPS more characters, if these exceed the block.

    The context then slides, every character's position changes, and nothing can be reused.
    """
    row = list(row)
    device = model.head.weight.device
    for _ in range(STEPS):
        context = torch.tensor([row[-model.config.block_size :]], device=device)  # (1, T)
        logits, _ = model(context)
        row.append(int(logits[0, -1].argmax()))
    return row
