"""Span corruption for pretraining."""

import torch
from torch.utils.data import Dataset


class CharCorruptionDataset(Dataset):
    MASK_CHAR = "\u2047"
    PAD_CHAR = "\u25A1"

    def __init__(self, data, block_size):
        alphabet = [self.PAD_CHAR, self.MASK_CHAR, *sorted(set(data))]
        self.stoi = {ch: i for i, ch in enumerate(alphabet)}
        self.itos = dict(enumerate(alphabet))
        self.vocab_size = len(alphabet)
        self.block_size = block_size
        self.data = data.split("\n")

    def __len__(self):
        return len(self.data)

    def __getitem__(self, idx):
        ids = torch.tensor([self.stoi[ch] for ch in self.data[idx]], dtype=torch.long)
        longest = int(0.875 * self.block_size)
        ids = ids[: torch.randint(4, longest + 1, ()).item()]

        share = torch.empty(()).uniform_(0.1, 0.4).item()
        length = int(share * len(ids) + 0.5)
        first = torch.randint(0, len(ids) - length + 1, (1,)).item()
        before, content, after = ids.split([first, length, len(ids) - first - length])

        mask = torch.full((1,), self.stoi[self.MASK_CHAR])
        body = torch.cat([before, mask, after, mask, content])
        full = torch.full((self.block_size + 1,), self.stoi[self.PAD_CHAR])
        full[: body.numel()] = body
        return full.narrow(0, 0, self.block_size), full.narrow(0, 1, self.block_size)
