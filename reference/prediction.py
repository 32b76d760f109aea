"""Greedy answers of a model to the course's question files."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch.nn.utils.rnn import pad_sequence

from reference.gpt import GPT, PAD_ID
from reference.vocabulary import MASK, Vocabulary

STEPS = 32  # characters the course's script samples, whatever they are


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

    All prompts go in one batch, PADs on the right: a causal model never looks there, so the
    answers are those of one prompt at a time.
    """
    model.eval()
    rows = [vocabulary.encode(prompt) for prompt in prompts]
    for _ in range(STEPS):
        contexts = [torch.tensor(row[-model.config.block_size :]) for row in rows]
        # (B, T), T of the longest
        idx = pad_sequence(contexts, batch_first=True, padding_value=PAD_ID)
        last = torch.tensor([len(context) - 1 for context in contexts])  # (B,)
        logits, _ = model(idx)  # (B, T, vocab_size)
        best = logits[torch.arange(len(rows)), last].argmax(-1)  # (B,)
        for row, character in zip(rows, best.tolist(), strict=True):
            row.append(character)
    return [vocabulary.decode(row).split(MASK)[1] for row in rows]
