"""All finetuning examples as two tensors: reference/data/names.py's, trimmed to the longest."""

import torch

from reference.data.corruption import CharCorruptionDataset
from reference.data.names import NameDataset
from reference.models.gpt import PAD_ID


def read_questions(
    corpus: str, questions: str, block_size: int, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """x and y (N, T) of all questions; T is one less than the longest question and answer.

    What is left out are columns of PADs on the right, which nobody looks at and nobody asks for.
    """
    dataset = NameDataset(CharCorruptionDataset(corpus, block_size), questions)
    if not len(dataset):
        raise ValueError("the finetuning file holds no questions")
    pairs = [dataset[i] for i in range(len(dataset))]
    x = torch.stack([x for x, _ in pairs])  # (N, block_size - 1)
    y = torch.stack([y for _, y in pairs])
    width = int((y != PAD_ID).any(0).nonzero().max()) + 1
    return x[:, :width].to(device), y[:, :width].to(device)
