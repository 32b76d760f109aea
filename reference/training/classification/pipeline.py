"""The whole run: the majority baseline, each method trained and evaluated, and comparisons."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import torch

from graders.data.labelled import LabelledData
from graders.statistics import mcnemar
from reference.models.backbone import Backbone
from reference.models.methods import METHODS, Method
from reference.training.classification.metrics import (
    SCHEMA,
    ClassifierMetrics,
    Comparison,
    EncoderSize,
    Evaluation,
)
from reference.training.classification.phases import (
    Material,
    open_backbone,
    read_parts,
    run_method,
    said_of,
)
from reference.training.classification.plan import Plan
from reference.training.files import write_bytes
from reference.training.metrics import PARTS, Accuracy, accuracy, versions, write_metrics
from reference.training.phase import Report
from reference.training.precision import Machine

NARROW = 128  # with fewer features, two threads spend more time waiting than working

Publish = Callable[[ClassifierMetrics], None]


def run_classifier(
    plan: Plan, data: LabelledData, machine: Machine, *, report: Report, publish: Publish
) -> ClassifierMetrics:
    """Run what is left of the plan; `publish` gets the metrics whenever a method is finished.

    Raises StorageError if a file is damaged or the disk is full, and UsageError if the encoder
    cannot be loaded.
    """
    backbone = open_backbone(plan.folder)
    if backbone.features < NARROW:
        machine = replace(machine, threads=1)
    torch.set_num_threads(machine.threads)
    material = Material(plan, read_parts(plan, data, backbone), machine, report)
    metrics = _begin(plan, data, machine, backbone)
    _publish(metrics, plan, publish)
    for method in plan.methods:
        training, evaluations = run_method(method, material)
        metrics = replace(
            metrics,
            seconds=round(metrics.seconds + training.seconds, 3),
            trainings=(*metrics.trainings, training),
            evaluations=(*metrics.evaluations, *evaluations),
        )
        metrics = replace(metrics, complete=method == plan.methods[-1])
        metrics = _compared(metrics, material)
        _publish(metrics, plan, publish)
    return metrics


def _begin(
    plan: Plan, data: LabelledData, machine: Machine, backbone: Backbone
) -> ClassifierMetrics:
    """Return the metrics of a run in which nothing is trained yet."""
    parameters = sum(parameter.numel() for parameter in backbone.model.parameters())
    return ClassifierMetrics(
        assignment=plan.assignment,
        kind=plan.kind,
        complete=False,
        encoder=EncoderSize(plan.encoder_name, backbone.features, parameters),
        data=data.description,
        device=machine.name,
        precision=machine.precision,
        seed=plan.seed,
        versions=versions("torch", "transformers"),
        seconds=0.0,
        majority=majority_baseline(data),
        trainings=(),
        evaluations=(),
        comparisons=(),
        chosen=None,
    )


def majority_baseline(data: LabelledData) -> tuple[Accuracy, ...]:
    """Predict the training set's more frequent label for every item of dev and of test."""
    label = int(2 * sum(label for _, label in data.train) > len(data.train))
    return tuple(
        accuracy("majority", part, [label] * len(items), [gold for _, gold in items])
        for part, items in (("dev", data.dev), ("test", data.test))
    )


def _compared(metrics: ClassifierMetrics, material: Material) -> ClassifierMetrics:
    """Return the metrics with all pairs of methods compared, and the method best on dev."""
    methods = [training.method for training in metrics.trainings]
    comparisons = tuple(
        comparison(pair, part, material) for part in PARTS for pair in combinations(methods, 2)
    )
    return replace(metrics, comparisons=comparisons, chosen=best_on_dev(metrics.evaluations))


def comparison(pair: tuple[Method, Method], part: str, material: Material) -> Comparison:
    """Return what only one of two classifiers has correct, and the probability by chance."""
    gold = material.parts[part].labels.tolist()
    first, second = (
        [a == b for a, b in zip(said_of(method, part, material), gold, strict=True)]
        for method in pair
    )
    only_first = sum(a and not b for a, b in zip(first, second, strict=True))
    only_second = sum(b and not a for a, b in zip(first, second, strict=True))
    return Comparison(*pair, part, only_first, only_second, mcnemar(only_first, only_second))


def best_on_dev(evaluations: Sequence[Evaluation]) -> Method:
    """Return the method with the most correct answers on dev; in case of a tie, the first."""
    dev = [evaluation.accuracy for evaluation in evaluations if evaluation.accuracy.part == "dev"]
    best = max(dev, key=lambda accuracy: accuracy.correct).model
    return next(method for method in METHODS if method == best)


def _publish(metrics: ClassifierMetrics, plan: Plan, publish: Publish) -> None:
    if metrics.complete and metrics.chosen is not None:
        for part in PARTS:
            content = plan.predictions(metrics.chosen, part).read_bytes()
            write_bytes(plan.predictions(plan.kind, part), content)
    write_metrics(plan.out, SCHEMA, metrics)
    publish(metrics)
