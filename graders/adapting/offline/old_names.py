"""Restore what coursework of 2023 uses and later releases of its libraries changed."""

import functools
import importlib
import math
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import torch


def install() -> None:
    """Restore what is missing; leave what still exists unchanged."""
    base: Any = importlib.import_module("transformers.tokenization_utils_base")
    optimization: Any = importlib.import_module("transformers.optimization")
    if not hasattr(optimization, "AdamW"):
        optimization.AdamW = AdamW
        imports: Any = importlib.import_module("transformers.utils.import_utils")
        lazy = imports._LazyModule
        lazy.__getattr__ = _with_names(lazy.__getattr__, {"AdamW": AdamW})
    torch.load = _with_objects(torch.load)
    tokenizer = base.PreTrainedTokenizerBase
    strategies = tokenizer._get_padding_truncation_strategies
    tokenizer._get_padding_truncation_strategies = _with_old_padding(strategies)
    if not hasattr(tokenizer, "encode_plus"):
        tokenizer.encode_plus = encode_plus
        tokenizer.batch_encode_plus = batch_encode_plus
        tokenizer.build_inputs_with_special_tokens = build_inputs_with_special_tokens
    datasets: Any = importlib.import_module("datasets")
    datasets.Dataset.__getitem__ = _with_columns(datasets.Dataset.__getitem__)


def _with_names(find: Callable[..., Any], names: dict[str, Any]) -> Callable[..., Any]:
    """Find these names in `transformers`, too, even if its lazy module is created again."""

    def with_names(module: Any, name: str) -> Any:
        if module.__name__ == "transformers" and name in names:
            return names[name]
        return find(module, name)

    return with_names


def encode_plus(tokenizer: Any, text: Any, text_pair: Any = None, **options: Any) -> Any:
    """Return the encoding of one text or of one pair of texts."""
    if _is_pair(text, options) and text_pair is None:
        return tokenizer(*text, **options)
    if isinstance(text, list | tuple):  # the words of a text
        options["is_split_into_words"] = True
    return tokenizer(text, text_pair, **options)


def batch_encode_plus(tokenizer: Any, batch_text_or_text_pairs: Any, **options: Any) -> Any:
    """Return the encodings of several texts or of several pairs."""
    texts = list(batch_text_or_text_pairs)
    if texts and all(_is_pair(text, options) for text in texts):
        return tokenizer([a for a, _ in texts], [b for _, b in texts], **options)
    return tokenizer(texts, **options)


def build_inputs_with_special_tokens(
    tokenizer: Any, token_ids_0: list[int], token_ids_1: list[int] | None = None
) -> list[int]:
    """Return the ids of one text or of a pair of texts with the special tokens around them."""
    if token_ids_1 is None:
        first, *rest = tokenizer.encode("")
        return [first, *token_ids_0, *rest]
    first, *rest, last = tokenizer([("", "")])["input_ids"][0]
    return [first, *token_ids_0, *rest, *token_ids_1, last]


def _is_pair(text: Any, options: dict[str, Any]) -> bool:
    """Return whether older releases treat it as a pair of texts, not as two words."""
    both = isinstance(text, list | tuple) and len(text) == 2
    return both and not options.get("is_split_into_words")


def _with_old_padding(strategies: Callable[..., Any]) -> Callable[..., Any]:
    """Accept `pad_to_max_length=True`, as every release before 5 does."""

    def with_old_padding(
        tokenizer: Any,
        padding: Any = False,
        truncation: Any = None,
        max_length: int | None = None,
        **options: Any,
    ) -> Any:
        if options.pop("pad_to_max_length", False) and padding is False:
            padding = True if max_length is None else "max_length"
            truncation = truncation if max_length is None or truncation is not None else True
        return strategies(tokenizer, padding, truncation, max_length, **options)

    return with_old_padding


def _with_objects(load: Callable[..., Any]) -> Callable[..., Any]:
    """Load whole modules by default, as torch does before 2.6."""

    @functools.wraps(load)
    def with_objects(*values: Any, weights_only: bool | None = None, **options: Any) -> Any:
        return load(*values, weights_only=bool(weights_only), **options)

    return with_objects


def _with_columns(item: Callable[..., Any]) -> Callable[..., Any]:
    """Make `table["text"]` a list or a tensor again, as before release 4 of datasets.

    A tokenizer accepts a list and refuses the Column of newer releases. Plain columns are cached,
    because code may read the same one in a loop.
    """
    cache: weakref.WeakKeyDictionary[Any, dict[str, list[Any]]] = weakref.WeakKeyDictionary()

    @functools.wraps(item)
    def with_columns(self: Any, key: Any) -> Any:
        if not isinstance(key, str) or type(column := item(self, key)).__name__ != "Column":
            return column if isinstance(key, str) else item(self, key)
        if self.format["type"] is not None:
            return column[:]
        columns = cache.setdefault(self, {})
        if key not in columns:
            columns[key] = column[:]
        return list(columns[key])

    return with_columns


class AdamW(torch.optim.Optimizer):
    """The AdamW that transformers had before release 5: it adds eps before it corrects the bias."""

    def __init__(  # noqa: PLR0913  the signature of the removed class
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        correct_bias: bool = True,
        no_deprecation_warning: bool = False,
    ) -> None:
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, defaults | {"correct_bias": correct_bias})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._update(parameter, group)
        return loss

    def _update(self, parameter: torch.Tensor, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:
            state["step"] = 0
            state["exp_avg"] = torch.zeros_like(parameter)
            state["exp_avg_sq"] = torch.zeros_like(parameter)
        state["step"] += 1
        (first, second), rate, gradient = group["betas"], group["lr"], parameter.grad
        state["exp_avg"].mul_(first).add_(gradient, alpha=1 - first)
        state["exp_avg_sq"].mul_(second).addcmul_(gradient, gradient, value=1 - second)
        step = rate
        if group["correct_bias"]:
            step *= math.sqrt(1 - second ** state["step"]) / (1 - first ** state["step"])
        scale = state["exp_avg_sq"].sqrt().add_(group["eps"])
        parameter.addcdiv_(state["exp_avg"], scale, value=-step)
        if group["weight_decay"] > 0:
            parameter.add_(parameter, alpha=-rate * group["weight_decay"])
