"""Fine-tune a classifier: AdamW, a linear warmup and decay, early stopping on dev.

    epoch: shuffled batches -> logits -> cross-entropy -> AdamW, step, step ... -> dev accuracy
    the epoch with the best dev accuracy is kept; nothing is ever chosen on the test set

Devlin et al. 2019, appendix A.3, for rates and epochs; Loshchilov and Hutter 2019 for AdamW.
"""

import re
from collections.abc import Sequence

import torch
from torch.nn import functional as F

from reference.models.backbone import Backbone, Text
from reference.models.classifier import Classifier, Tokens
from reference.models.methods import Recipe

BETAS = (0.9, 0.98)
EPSILON = 1e-6
CLIP = 1.0


def make_optimizer(classifier: Classifier, recipe: Recipe) -> torch.optim.AdamW:
    """Return AdamW for what the method trains; biases and norms have no weight decay."""
    layers = classifier.backbone.config.num_hidden_layers
    groups = []
    for name, parameter in classifier.trained().items():
        new = not name.startswith("backbone.")
        decay = recipe.weight_decay if parameter.ndim > 1 and name != "prefix" else 0.0
        gentler = recipe.layer_decay ** (layers - height(name))
        rate = recipe.new_rate if new else recipe.rate * gentler
        groups.append({"params": [parameter], "weight_decay": decay, "lr": rate, "peak": rate})
    return torch.optim.AdamW(groups, betas=BETAS, eps=EPSILON, fused=True)


def height(name: str) -> int:
    """Return the layer of an encoder's parameter, counted from one; embeddings have zero."""
    layer = re.search(r"\.layer\.(\d+)\.", name)
    return int(layer[1]) + 1 if layer else 0


def multiplier(step: int, steps: int, warmup: float) -> float:
    """Return the fraction of the peak rate in step 1 ... steps: up to 1, then down, never zero."""
    climbing = max(1, round(warmup * steps))
    return min(step / climbing, (steps - step + 1) / max(1, steps - climbing))


def set_rate(optimizer: torch.optim.AdamW, share: float) -> None:
    """Set each group to this fraction of its peak rate."""
    for group in optimizer.param_groups:
        group["lr"] = share * group["peak"]


def loss_of(logits: torch.Tensor, labels: torch.Tensor, smoothing: float = 0.0) -> torch.Tensor:
    """Return the mean cross-entropy of logits (B, 2) and labels (B,)."""
    return F.cross_entropy(logits.float(), labels, label_smoothing=smoothing)


def train_step(
    classifier: Classifier, optimizer: torch.optim.AdamW, loss: torch.Tensor
) -> torch.Tensor:
    """Clear the gradients, compute and clip them, and step; return the detached loss."""
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(classifier.trained().values(), CLIP)
    optimizer.step()
    return loss.detach()


def encode(backbone: Backbone, texts: Sequence[Text], longest: int) -> list[Tokens]:
    """Return the tokens of each text (1, T), cut at `longest`; of a pair, the longer one is cut."""
    given = backbone.tokenizer(
        [text if isinstance(text, str) else text[0] for text in texts],
        None if isinstance(texts[0], str) else [text[1] for text in texts],
        truncation="longest_first",
        return_token_type_ids=True,
        max_length=longest,
    )
    kinds = getattr(backbone.model.config, "type_vocab_size", 1)  # RoBERTa has one segment
    segments = given["token_type_ids"] if kinds > 1 else [None] * len(texts)
    return [
        Tokens(
            torch.tensor([ids]),
            torch.ones(1, len(ids), dtype=torch.long),
            None if segment is None else torch.tensor([segment]),
        )
        for ids, segment in zip(given["input_ids"], segments, strict=True)
    ]


def collate(texts: Sequence[Tokens], pad_id: int) -> Tokens:
    """Return some texts as one batch (B, T), padded on the right to the longest of them."""
    width = max(text.ids.shape[1] for text in texts)

    def padded(rows: Sequence[torch.Tensor], value: int) -> torch.Tensor:
        return torch.cat([F.pad(row, (0, width - row.shape[1]), value=value) for row in rows])

    segments = [text.segments for text in texts if text.segments is not None]
    return Tokens(
        padded([text.ids for text in texts], pad_id),
        padded([text.mask for text in texts], 0),
        padded(segments, 0) if segments else None,
    )
