"""The course's GPT: pre-norm Transformer blocks over characters.

Radford et al. 2018 (GPT), with the layer norms moved in front as in Radford et al. 2019 (GPT-2),
section 2.3. Names of parameters are the starter's, so its checkpoints load.

    ids -> tok_emb (+ pos_emb, unless rotary) -> n_layer blocks -> ln_f -> head -> logits
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from reference.data.vocabulary import PAD, Vocabulary
from reference.models.attention import CausalSelfAttention

PAD_ID = Vocabulary("").stoi[PAD]


@dataclass(frozen=True, slots=True)
class GPTConfig:
    """The size of a model; the defaults are the course's."""

    vocab_size: int
    block_size: int
    n_layer: int = 4
    n_head: int = 8
    n_embd: int = 256
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    resid_pdrop: float = 0.1
    rope: bool = False
    flash: bool = False  # compute attention in one fused kernel: faster on GPUs, not on CPUs


class Block(nn.Module):
    """A block: attention moves information between positions, the MLP acts on each separately."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.ln1 = nn.LayerNorm(config.n_embd)
        self.ln2 = nn.LayerNorm(config.n_embd)
        self.attn = CausalSelfAttention(config)
        self.attn.flash = config.flash
        self.mlp = nn.Sequential(
            nn.Linear(config.n_embd, 4 * config.n_embd),
            nn.GELU(),
            nn.Linear(4 * config.n_embd, config.n_embd),
            nn.Dropout(config.resid_pdrop),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the residual stream with both parts added, (B, T, C) to (B, T, C)."""
        x = x + self.attn(self.ln1(x))
        out: torch.Tensor = x + self.mlp(self.ln2(x))
        return out


class GPT(nn.Module):
    """A character language model, with learned or rotary positions."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        self.tok_emb = nn.Embedding(config.vocab_size, config.n_embd)
        if not config.rope:
            self.pos_emb = nn.Parameter(torch.zeros(1, config.block_size, config.n_embd))
        self.drop = nn.Dropout(config.embd_pdrop)
        self.blocks = nn.Sequential(*(Block(config) for _ in range(config.n_layer)))
        self.ln_f = nn.LayerNorm(config.n_embd)
        self.head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.apply(initialize)

    def forward(
        self, idx: torch.Tensor, targets: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Return logits (B, T, vocab_size) for ids (B, T), and the loss given targets (B, T)."""
        T = idx.shape[1]
        if self.config.block_size < T:
            raise ValueError(f"{T} characters, but the model reads {self.config.block_size}")
        x = self.tok_emb(idx)  # (B, T, C)
        if not self.config.rope:
            x = x + self.pos_emb[:, :T]  # (1, T, C), the same for every sequence
        x = self.ln_f(self.blocks(self.drop(x)))  # (B, T, C)
        logits = self.head(x)  # (B, T, vocab_size)
        if targets is None:
            return logits, None
        # PAD is never a target: neither the padding nor, in finetuning, the question is trained on.
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PAD_ID)

    @property
    def layers(self) -> list[Block]:
        """The blocks, in order."""
        return [block for block in self.blocks if isinstance(block, Block)]

    def load(self, state: Mapping[str, torch.Tensor]) -> None:
        """Load all tensors of a course checkpoint.

        Raises ValueError, which names the difference.
        """
        tensors = self.state_dict()
        if variant(state) != variant(tensors):
            raise ValueError(f"this model is {variant(tensors)}, the checkpoint {variant(state)}")
        if missing := sorted(tensors.keys() - state.keys()):
            raise ValueError(f"the checkpoint lacks {missing[0]} ({len(missing)} tensors in all)")
        if extra := sorted(state.keys() - tensors.keys()):
            raise ValueError(f"the checkpoint has {extra[0]}, which this model lacks")
        for name, tensor in tensors.items():
            if state[name].shape != tensor.shape:
                shapes = f"{tuple(state[name].shape)} instead of {tuple(tensor.shape)}"
                raise ValueError(f"the checkpoint's {name} has shape {shapes}")
        # This includes the stored tables: a model must use the rotation that it was trained with.
        self.load_state_dict(dict(state))


def variant(state: Iterable[str]) -> str:
    """Return the kind of model that these tensor names belong to."""
    names = set(state)
    if "blocks.0.attn.rope_cache" in names:
        return "a rope model"
    return "a vanilla model" if "pos_emb" in names else "no model of this course"


def initialize(module: nn.Module) -> None:
    """Start weights at N(0, 0.02²) and biases at zero, as GPT does (section 4.1)."""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)
