"""Make the library `evaluate` compute scores locally instead of downloading its scripts.

    evaluate.load("accuracy") -> the library's own EvaluationModule, with our `_compute`

A metric on the hub is a short script; ours take the same parameters and return the same result.
Any other name of the hub is `Unavailable`; a local script is loaded as usual, and a name that
nobody has is an error, as it is with a network.
"""

import functools
import importlib
import os
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from graders.adapting.offline import scores
from graders.adapting.unavailable import Unavailable

OURS = "softmark:"  # prefix of a metric's name, in place of the library's module name
SINGLE: Mapping[str, Callable[..., Any]] = {
    "accuracy": scores.accuracy_score,
    "f1": scores.f1_score,
    "precision": scores.precision_score,
    "recall": scores.recall_score,
    "matthews_correlation": scores.matthews_corrcoef,
    "confusion_matrix": scores.confusion_matrix,
}
# Benchmarks have their own metrics for each dataset.
BENCHMARKS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "glue": {
        **dict.fromkeys(("sst2", "mnli", "mnli_mismatched", "mnli_matched"), ("accuracy",)),
        **dict.fromkeys(("qnli", "rte", "wnli", "hans"), ("accuracy",)),
        **dict.fromkeys(("mrpc", "qqp"), ("accuracy", "f1")),
        "cola": ("matthews_correlation",),
    },
    "super_glue": {
        **dict.fromkeys(("boolq", "copa", "rte", "wic", "wsc", "wsc.fixed"), ("accuracy",)),
        **dict.fromkeys(("axb",), ("matthews_correlation",)),
    },
}

LONGER = {"glue": ("stsb",), "super_glue": ("cb", "multirc", "record")}  # not supported here
# The library's other modules on the hub: metrics, comparisons and measurements.
ON_HUB = """
bertscore bleu bleurt brier_score cer character charcut_mt chrf code_eval comet competition_math
coval cuad exact_match frugalscore google_bleu indic_glue mae mahalanobis mape mase mauve mean_iou
meteor mse nist_mt pearsonr perplexity poseval r_squared rl_reliability roc_auc rouge sacrebleu sari
seqeval smape spearmanr squad squad_v2 ter trec_eval wer wiki_split xnli xtreme_s
honest label_distribution mcnemar regard text_duplicates toxicity wilcoxon word_count word_length
"""


def install() -> None:
    """Make the library compute these scores instead of downloading scripts."""
    loading: Any = importlib.import_module("evaluate.loading")
    loading.evaluation_module_factory = _finding(loading.evaluation_module_factory)
    loading.import_main_class = _importing(loading.import_main_class)
    library: Any = importlib.import_module("datasets")
    if not hasattr(library, "load_metric"):  # until release 3
        library.load_metric = loading.load


def _finding(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def find(path: str, *values: Any, **named: Any) -> Any:
        if os.path.exists(path) or path.endswith(".py"):
            return original(path, *values, **named)
        name = path.split("/")[-1]
        if name in SINGLE or name in BENCHMARKS:
            return SimpleNamespace(module_path=OURS + name, hash="softmark")
        if "/" in path or name in ON_HUB.split():
            raise Unavailable(f"the metric `{path}` is not available without a network")
        raise ValueError(f"there is no metric `{path}` in the library evaluate")

    return find


def _importing(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def import_main_class(module_path: str) -> Any:
        if module_path.startswith(OURS):
            return _module(module_path.removeprefix(OURS))
        return original(module_path)

    return import_main_class


@functools.cache
def _module(name: str) -> Any:
    """Return a metric class as the library expects it: its class name becomes the metric's."""
    library: Any = importlib.import_module("evaluate")
    features: Any = importlib.import_module("datasets")

    def info(self: Any) -> Any:
        _scores_of(name, self.config_name)
        return library.MetricInfo(
            description=f"The metric {name}, computed without the hub.",
            citation="",
            inputs_description="predictions and references: one label each",
            features=features.Features(
                {column: features.Value("int32") for column in ("predictions", "references")}
            ),
        )

    def compute(self: Any, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return {
            score: SINGLE[score](references, predictions, **options)
            for score in _scores_of(name, self.config_name)
        }

    def init(self: Any, *values: Any, num_process: int = 1, **named: Any) -> None:
        if num_process == 1:  # metrics in files need locks, which the sandbox lacks
            named["keep_in_memory"] = True
        library.Metric.__init__(self, *values, num_process=num_process, **named)

    def finalize(self: Any) -> None:
        if self.keep_in_memory and self.buf_writer is None:  # the library's error for files
            raise ValueError("Please call `add` or `add_batch` at least once before `compute`.")
        library.Metric._finalize(self)

    class_name = "".join(part.capitalize() for part in name.split("_"))
    methods = {"_info": info, "_compute": compute, "_finalize": finalize, "__init__": init}
    return type(class_name, (library.Metric,), methods)


def _scores_of(name: str, config: str) -> tuple[str, ...]:
    """Return the scores of a metric; a benchmark has some for each of its datasets."""
    if name not in BENCHMARKS:
        return (name,)
    if config not in BENCHMARKS[name]:
        if config not in LONGER.get(name, ()):
            raise KeyError(f"the metric `{name}` has no configuration `{config}`")
        raise Unavailable(f"the metric `{name}` of `{config}` is not available without a network")
    return BENCHMARKS[name][config]
