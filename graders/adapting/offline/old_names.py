"""Restore what coursework of 2023 uses and later releases of its libraries changed."""

import functools
import importlib
import weakref
from collections.abc import Callable
from typing import Any


def install() -> None:
    """Restore what is missing; leave what still exists unchanged."""
    base: Any = importlib.import_module("transformers.tokenization_utils_base")
    optimization: Any = importlib.import_module("transformers.optimization")
    if not hasattr(optimization, "AdamW"):
        from graders.adapting.offline.adamw import AdamW

        optimization.AdamW = AdamW
        imports: Any = importlib.import_module("transformers.utils.import_utils")
        lazy = imports._LazyModule
        lazy.__getattr__ = _with_names(lazy.__getattr__, {"AdamW": AdamW})
    torch: Any = importlib.import_module("torch")
    torch.load = _with_objects(torch.load)
    tokenizer = base.PreTrainedTokenizerBase
    strategies = tokenizer._get_padding_truncation_strategies
    tokenizer._get_padding_truncation_strategies = _with_old_padding(strategies)
    if not hasattr(tokenizer, "encode_plus"):
        tokenizer.encode_plus = encode_plus
        tokenizer.batch_encode_plus = batch_encode_plus
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
    if texts and all(_is_pair(each, options) for each in texts):
        return tokenizer([a for a, _ in texts], [b for _, b in texts], **options)
    return tokenizer(texts, **options)


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
    kept: weakref.WeakKeyDictionary[Any, dict[str, list[Any]]] = weakref.WeakKeyDictionary()

    @functools.wraps(item)
    def with_columns(self: Any, key: Any) -> Any:
        if not isinstance(key, str) or type(found := item(self, key)).__name__ != "Column":
            return found if isinstance(key, str) else item(self, key)
        if self.format["type"] is not None:
            return found[:]
        columns = kept.setdefault(self, {})
        if key not in columns:
            columns[key] = found[:]
        return list(columns[key])

    return with_columns
