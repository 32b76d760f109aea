"""Stand-in for models.py of the starter, used if a submission does not include it."""

from attention import CausalSelfAttention
from torch import Tensor, nn, zeros
from torch.nn import functional as F


class GPTConfig:
    """The settings of a model; additional ones are accepted."""

    embd_pdrop = 0.1
    attn_pdrop = 0.1
    resid_pdrop = 0.1
    rope = False
    n_layer = 4
    n_head = 8
    n_embd = 256

    def __init__(self, vocab_size: int, block_size: int, **settings: object) -> None:
        self.vocab_size = vocab_size
        self.block_size = block_size
        for name, value in settings.items():
            setattr(self, name, value)


class Block(nn.Module):
    """Attention over the past, then an MLP at each position, each after a layer norm."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.ln1 = nn.LayerNorm(config.n_embd)
        self.ln2 = nn.LayerNorm(config.n_embd)
        self.attn = CausalSelfAttention(config)
        self.mlp = nn.Sequential(
            nn.Linear(config.n_embd, 4 * config.n_embd),
            nn.GELU(),
            nn.Linear(4 * config.n_embd, config.n_embd),
            nn.Dropout(config.resid_pdrop),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, C) to (B, T, C)."""
        x = x + self.attn(self.ln1(x))
        out: Tensor = x + self.mlp(self.ln2(x))
        return out


class GPT(nn.Module):
    """A character model with learned positions, or without if attention uses rotary ones."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.block_size = config.block_size
        self.rope = config.rope
        self.tok_emb = nn.Embedding(config.vocab_size, config.n_embd)
        if not self.rope:
            self.pos_emb = nn.Parameter(zeros(1, config.block_size, config.n_embd))
        self.drop = nn.Dropout(config.embd_pdrop)
        self.blocks = nn.Sequential(*(Block(config) for _ in range(config.n_layer)))
        self.ln_f = nn.LayerNorm(config.n_embd)
        self.head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.apply(self._init_weights)

    def get_block_size(self) -> int:
        """The longest context."""
        return self.block_size

    @staticmethod
    def _init_weights(module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            module.weight.data.normal_(0.0, 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            module.bias.data.zero_()

    def forward(self, idx: Tensor, targets: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """Return logits (B, T, vocab_size) for ids (B, T), and the loss if targets are given."""
        T = idx.size(1)
        if self.block_size < T:
            raise ValueError(f"{T} characters, but the model reads {self.block_size}")
        x = self.tok_emb(idx)
        if not self.rope:
            x = x + self.pos_emb[:, :T]
        logits = self.head(self.ln_f(self.blocks(self.drop(x))))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)
