"""Greedy decoding of many prompts at once, without computing anything twice.

    columns   0 ... | ........ T-1 | T   T+1  ...      keys and values of each row
    row 0     Where was Ada born?⁇ | B    e    r       T is the longest prompt
    row 1     Where was Bo born?⁇□ | R    o    m       the PAD's column is never attended to
              shared   own           answer

The common beginning of all prompts is read once for all rows. Then each row's keys and values are
kept while it answers. Attention is a sum over a set: a key may be in any column, provided that its
position, which it gets from pos_emb or the rotation, is the row's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from reference.models.attention import CausalSelfAttention
from reference.models.gpt import GPT, PAD_ID
from reference.models.rotary import rotate


class Memory:
    """One layer's keys and values for all future columns, (B, n_head, columns, head_dim) each."""

    def __init__(self, shape: tuple[int, int, int, int], like: torch.Tensor) -> None:
        self.k, self.v = like.new_zeros(shape), like.new_zeros(shape)

    def put(self, column: int, k: torch.Tensor, v: torch.Tensor) -> None:
        """Store the t columns that start at `column`; a single row applies to all rows."""
        end = column + k.shape[2]
        self.k[:, :, column:end], self.v[:, :, column:end] = k, v

    def keep(self, rows: torch.Tensor) -> None:
        """Keep only these rows."""
        self.k, self.v = self.k[rows], self.v[rows]


@dataclass(frozen=True, slots=True)
class Places:
    """The positions of t new characters of each row, and the columns that each may attend to."""

    position: torch.Tensor  # (B, t)
    visible: torch.Tensor  # (B, 1, t, columns), True if it may

    def at(self, rows: torch.Tensor, ends: torch.Tensor) -> "Places":
        """Return one of the positions of each row, given by `ends` (B,)."""
        position = self.position[rows, ends]  # (B,)
        visible = self.visible[rows, :, ends]  # (B, 1, columns)
        return Places(position[:, None], visible[:, :, None])


class GreedyDecoder:
    """A model's continuations of a batch of prompts, one character at a time.

    `logits` (B, vocab_size) follow what each row has read so far.
    """

    def __init__(self, model: GPT, prompts: Sequence[Sequence[int]], steps: int) -> None:
        self.model = model
        like, config = model.head.weight, model.config
        rows = [torch.tensor(row) for row in prompts]
        idx = pad_sequence(rows, batch_first=True, padding_value=PAD_ID).to(like.device)  # (B, T)
        B, T = idx.shape
        shape = (B, config.n_head, T + steps, config.n_embd // config.n_head)
        self.memories = [Memory(shape, like) for _ in model.layers]
        # Position of each row's last character, which the next step continues: (B,)
        self.position = torch.tensor([len(row) - 1 for row in prompts], device=like.device)
        # The columns that a row may attend to, (B, columns): its prompt, later its own answer.
        self.columns = torch.arange(T + steps, device=like.device)
        self.visible = self.columns <= self.position[:, None]
        self.column = 0  # the number of filled columns
        alike = (idx == idx[:1]).all(0).cumprod(0).sum()  # columns before any two rows differ
        shared = min(int(alike), int(self.position.min()))
        if shared:
            self._read(idx[:1, :shared])
        self._read(idx[:, shared:])

    def _read(self, idx: torch.Tensor) -> None:
        """Read the next piece (B, t) of all prompts."""
        B, t = idx.shape
        start, end = self.column, self.column + t
        position = self.columns[start:end]  # (t,): in a prompt, column and position are the same
        past = self.columns[:end] <= position[:, None]  # (t, end)
        places = Places(position.expand(B, t), past.expand(B, 1, t, end))
        self._forward(idx, places, (self.position[:B] - start).clamp(max=t - 1))

    def step(self, characters: torch.Tensor) -> None:
        """Continue each row with its character (B,)."""
        self.position = self.position + 1
        self.visible[:, self.column] = True
        visible = self.visible[:, None, None, : self.column + 1]
        places = Places(self.position[:, None], visible)
        self._forward(characters[:, None], places, torch.zeros_like(characters))

    def _forward(self, idx: torch.Tensor, places: Places, ends: torch.Tensor) -> None:
        """Process new characters (B, t); `logits` become those at their `ends` (B,)."""
        model, rows = self.model, torch.arange(len(idx), device=idx.device)
        x = model.tok_emb(idx)  # (B, t, C)
        if not model.config.rope:
            x = x + model.pos_emb[0, places.position]
        for layer, block in enumerate(model.layers):
            h = block.ln1(x)
            self._remember(self.memories[layer], block.attn, h, places)
            if layer == len(self.memories) - 1:
                # Only the ends of the last layer are needed: (B, 1, C) from here on.
                x, h = x[rows, ends][:, None], h[rows, ends][:, None]
                places, ends = places.at(rows, ends), torch.zeros_like(ends)
            x = x + self._attend(self.memories[layer], block.attn, h, places)
            x = x + block.mlp(block.ln2(x))
        self.column += idx.shape[1]
        self.logits = model.head(model.ln_f(x[rows, ends]))  # (B, vocab_size)

    def _remember(
        self, memory: Memory, attn: CausalSelfAttention, h: torch.Tensor, places: Places
    ) -> None:
        """Store the keys and values of new positions h (B, t, C) in the next columns."""
        k = rotated(attn, attn.heads(attn.key(h)), places.position)
        memory.put(self.column, k, attn.heads(attn.value(h)))

    def _attend(
        self, memory: Memory, attn: CausalSelfAttention, h: torch.Tensor, places: Places
    ) -> torch.Tensor:
        """Return what positions h (B, t, C) take from the columns that they see."""
        q = rotated(attn, attn.heads(attn.query(h)), places.position)
        B, end = len(h), places.visible.shape[-1]
        k, v = memory.k[:B, :, :end], memory.v[:B, :, :end]
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=places.visible)
        out: torch.Tensor = attn.proj(mixed.transpose(1, 2).flatten(2))  # (B, t, C)
        return out

    def keep(self, rows: torch.Tensor) -> None:
        """Continue with only these rows."""
        self.position, self.visible = self.position[rows], self.visible[rows]
        for memory in self.memories:
            memory.keep(rows)


def rotated(attn: CausalSelfAttention, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
    """Rotate queries or keys (B, n_head, t, head_dim) by their positions (B, t) if rope is on."""
    if not attn.rope:
        return x
    cos, sin = attn.rope_cache[position][:, None].unbind(-1)  # (B, 1, t, head_dim/2) each
    return rotate(x, cos, sin)
