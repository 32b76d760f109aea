"""The finetuning task: answer a question about a person with a birth place.

    line   Where was Ada Korn born?⇥Berlin
    s      Where was Ada Korn born?⁇Berlin⁇□□□□□      padded to block_size characters
    x      s without its last character
    y      □□□□□□□□□□□□□□□□□□□□□□□⁇Berlin⁇□□□□□       PAD for the characters of the question

The lengths and the dropped letters are the starter's, quirks included.
"""

import torch
from torch.utils.data import Dataset

from reference.data.corruption import CharCorruptionDataset


class NameDataset(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Questions and places in the vocabulary of the pretraining corpus (starter, dataset.py)."""

    def __init__(self, pretraining_dataset: CharCorruptionDataset, data: str) -> None:
        self.PAD_CHAR = pretraining_dataset.PAD_CHAR
        self.MASK_CHAR = pretraining_dataset.MASK_CHAR
        self.stoi = pretraining_dataset.stoi
        self.itos = pretraining_dataset.itos
        self.block_size = pretraining_dataset.block_size
        # Non-ASCII letters are dropped, not replaced: "Zoë" becomes "Zo".
        self.data = data.encode("ascii", errors="ignore").decode("ascii").split("\n")

    def __len__(self) -> int:
        return len(self.data) - 1  # the file ends with a newline, so the last piece is empty

    def __getitem__(self, idx: int) -> tuple[torch.Tensor, torch.Tensor]:
        question, place = self.data[idx].split("\t")
        s = question + self.MASK_CHAR + place + self.MASK_CHAR
        if len(s) > self.block_size:
            raise ValueError(f"line {idx + 1} needs {len(s)} characters, a block {self.block_size}")
        s = s.ljust(self.block_size, self.PAD_CHAR)
        # y is s shifted by one, with the question's own characters hidden from the loss.
        x = s[:-1]  # block_size - 1 characters, in every edition
        y = self.PAD_CHAR * (len(question) - 1) + s[len(question) :]  # as many
        return self.ids(x), self.ids(y)  # (block_size - 1,) int64 each

    def ids(self, text: str) -> torch.Tensor:
        """Return the text's ids as an int64 tensor."""
        return torch.tensor([self.stoi[character] for character in text])
