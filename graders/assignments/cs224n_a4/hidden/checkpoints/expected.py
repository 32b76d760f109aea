"""Decide whether named arrays are a trained model of this course; if not, say what they are."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .weights import Array, Finding, Weights, is_buffer

ROTARY = re.compile(r"rope|rot|freq|cos|sin|theta|angle")
MIN_GPT = re.compile(r"attn\.bias$")  # minGPT's name for its mask
LEARNED = "pos_emb"
GAIN = re.compile(r"(^|\.)ln(_f|\d)\.weight$")
START = 0.02  # standard deviation of every matrix before training


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a model; `name` says which model it is."""

    name: str
    n_embd: int
    n_layer: int
    n_head: int
    block_size: int = 128


COURSE = Size("the course's model", 256, 4, 8)
DEMO = Size("the demo's model", 128, 3, 4)


@dataclass(frozen=True, slots=True)
class Plan:
    """The required contents of a checkpoint: a model of this size, kind and vocabulary."""

    size: Size
    vocabulary: int
    rope: bool

    @property
    def kind(self) -> str:
        """The variant in run.py's words."""
        return "rope" if self.rope else "vanilla"

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The shape of every parameter."""
        return _shapes(self)

    @property
    def count(self) -> int:
        """The number of parameters."""
        return sum(int(np.prod(shape)) for shape in self.shapes.values())

    def parameters(self, weights: Weights) -> dict[str, Array]:
        """Return the trained tensors, without buffers."""
        return {name: tensor for name, tensor in weights.tensors.items() if name in self.shapes}

    def config(self) -> Any:
        """Return the reference's settings for this model."""
        from reference.models.gpt import GPTConfig  # imports torch

        size = self.size
        return GPTConfig(
            vocab_size=self.vocabulary,
            block_size=size.block_size,
            n_layer=size.n_layer,
            n_head=size.n_head,
            n_embd=size.n_embd,
            rope=self.rope,
        )


@cache
def _shapes(plan: Plan) -> Mapping[str, tuple[int, ...]]:
    """Return the shapes of the reference model, without allocating memory."""
    import torch

    from reference.models.gpt import GPT

    with torch.device("meta"):
        return {
            name: tuple(parameter.shape)
            for name, parameter in GPT(plan.config()).named_parameters()
        }


def nearest(weights: Weights, plans: Sequence[Plan]) -> Plan:
    """Return the plan that matches most shapes; the first of several."""
    held = {name: tensor.shape for name, tensor in weights.tensors.items()}
    return max(plans, key=lambda plan: len(plan.shapes.items() & held.items()))


def judge(weights: Weights, plan: Plan) -> Finding | None:
    """Return what is wrong with these weights, most obvious first, or None."""
    for rule in (_wrong_variant, _missing, _unknown, misfit, _not_finite, _untrained):
        if (finding := rule(weights, plan)) is not None:
            return finding
    return None


def _wrong_variant(weights: Weights, plan: Plan) -> Finding | None:
    learned = LEARNED in weights.tensors
    extra = weights.tensors.keys() - plan.shapes.keys()
    rotary = any(ROTARY.search(name.rsplit(".", 1)[-1]) for name in extra)
    if learned != plan.rope or "tok_emb.weight" not in weights.tensors:
        return None
    if learned and rotary:
        return Finding(
            f"`{weights.file}` contains learned positions (`{LEARNED}`) and a rotary table.",
            hint="The starter's rope model has no `pos_emb`: positions come from the rotation.",
        )
    other = "vanilla" if plan.rope else "rope"
    sign = f"it has `{LEARNED}` and no rotary table" if plan.rope else f"it has no `{LEARNED}`"
    return Finding(
        f"`{weights.file}` contains a {other} model: {sign}.",
        hint="Was another file copied to this name, or run.py called with the wrong variant?",
        expected=f"a {plan.kind} model",
        actual=f"a {other} model",
    )


def _missing(weights: Weights, plan: Plan) -> Finding | None:
    missing = [name for name in plan.shapes if name not in weights.tensors]
    if not missing:
        return None
    return Finding(
        f"`{weights.file}` has no `{missing[0]}`"
        f"{_more(len(missing), 'parameters are missing')}, so it is not {plan.size.name}.",
        hint="The names are those of the starter's models.py and attention.py.",
        expected=f"{len(plan.shapes)} parameter tensors",
        actual=f"{len(plan.parameters(weights))} of them",
    )


def _unknown(weights: Weights, plan: Plan) -> Finding | None:
    extra = weights.tensors.keys() - plan.shapes.keys()
    unknown = sorted(name for name in extra if not is_buffer(name) and not MIN_GPT.search(name))
    if not unknown:
        return None
    return Finding(
        f"`{weights.file}` contains `{unknown[0]}`{_more(len(unknown), 'tensors are unknown')}, "
        f"which is not in {plan.size.name}.",
        hint="Keep the starter's sizes and modules; only run.py needs to be completed.",
    )


def misfit(weights: Weights, plan: Plan) -> Finding | None:
    """Return why no model of the plan can have these parameters; some may be missing."""
    held = plan.parameters(weights)
    wrong = [name for name in plan.shapes if name in held and held[name].shape != plan.shapes[name]]
    if wrong:
        name = wrong[0]
        vocabulary = name == "tok_emb.weight" and held[name].shape[1:] == plan.shapes[name][1:]
        return Finding(
            f"`{name}` in `{weights.file}` has the wrong shape"
            f"{_more(len(wrong), 'shapes are wrong')}.",
            hint="It has one row per character of the corpus, so another corpus was used."
            if vocabulary
            else f"Keep the starter's sizes: {plan.count:,} parameters.",
            expected=str(plan.shapes[name]),
            actual=str(held[name].shape),
        )
    strange = [name for name, tensor in held.items() if tensor.dtype.kind != "f"]
    if strange:
        return Finding(f"`{strange[0]}` in `{weights.file}` has dtype {held[strange[0]].dtype}.")
    return None


def _not_finite(weights: Weights, plan: Plan) -> Finding | None:
    held = plan.parameters(weights)
    counts = {name: int((~np.isfinite(tensor)).sum()) for name, tensor in held.items()}
    bad = [name for name, count in counts.items() if count]
    if not bad:
        return None
    return Finding(
        f"{sum(counts.values()):,} of {plan.count:,} weights in `{weights.file}` are NaN or "
        f"infinite, the first in `{bad[0]}`.",
        hint="Training diverged; the first nan loss in the log shows where. Check learning rates.",
        expected="finite numbers",
    )


def _untrained(weights: Weights, plan: Plan) -> Finding | None:
    """Find untrained weights: one AdamW step changes every gain from 1 and every bias from 0."""
    held = plan.parameters(weights)
    gains = [tensor for name, tensor in held.items() if GAIN.search(name)]
    biases = [tensor for name, tensor in held.items() if name.endswith(".bias")]
    if all((gain == 1).all() for gain in gains) and not any(map(np.any, biases)):
        spread = float(held["tok_emb.weight"].std())
        return Finding(
            f"`{weights.file}` is an untrained model: every bias is exactly 0 and every layer "
            "norm weight exactly 1, as before the first step.",
            hint="Save the model after training, and make sure that it is the trained one.",
            actual=f"tok_emb has standard deviation {spread:.4f}; it starts at {START}",
        )
    flat = [
        name for name, tensor in held.items() if tensor.ndim == 2 and tensor.min() == tensor.max()
    ]
    if flat:
        return Finding(f"All numbers in `{flat[0]}` of `{weights.file}` are equal.")
    return None


def _more(count: int, what: str) -> str:
    return f" ({count} {what})" if count > 1 else ""
