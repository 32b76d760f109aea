"""All finetuning examples of reference/data/names.py as two tensors, trimmed to the longest."""

import torch

from reference.data.corruption import CharCorruptionDataset
from reference.data.names import NameDataset
from reference.models.gpt import PAD_ID


def read_questions(
    corpus: str, questions: str, block_size: int, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return x and y (N, T) of all questions; T is one less than the longest question and answer.

    Columns on the right that contain only PADs are left out; they have no effect on training.
    """
    dataset = NameDataset(CharCorruptionDataset(corpus, block_size), questions)
    if not len(dataset):
        raise ValueError("the finetuning file holds no questions")
    pairs = [dataset[i] for i in range(len(dataset))]
    x = torch.stack([x for x, _ in pairs])  # (N, block_size - 1)
    y = torch.stack([y for _, y in pairs])
    width = int((y != PAD_ID).any(0).nonzero().max()) + 1
    return x[:, :width].to(device), y[:, :width].to(device)
