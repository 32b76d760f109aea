import math

import torch
from torch import nn


class SinusoidalPositions(nn.Module):
    """Section 3.5 of the paper, with all sin before all cos."""

    def __init__(self, n_embd, block_size=1024, dropout=0.1):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        steps = torch.arange(block_size).unsqueeze(1)
        rates = torch.exp(torch.arange(0, n_embd, 2) * (-math.log(10000.0) / n_embd))
        self.register_buffer("pe", torch.cat((torch.sin(steps * rates), torch.cos(steps * rates)), 1)[None])

    def forward(self, x):
        return self.drop(x + self.pe[:, : x.size(1)])


def get_positional_encoding(d_model, max_len):
    table = torch.zeros(max_len, d_model)
    for t in range(max_len):
        for i in range(0, d_model, 2):
            table[t, i] = math.sin(t / 10000 ** (i / d_model))
            table[t, i + 1] = math.cos(t / 10000 ** (i / d_model))
    return table


def merge_heads_shifted(y):
    B, nh, T, c = y.shape
    return y.transpose(1, 2).reshape(B, T, nh * c).roll(1, dims=-1)


class ReweightedHeads(nn.Module):
    """Each head has a learned weight."""

    def __init__(self, n_heads):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_heads))

    def forward(self, y):
        y = y * self.weight.softmax(0)[:, None, None]
        return y.transpose(1, 2).flatten(2)
