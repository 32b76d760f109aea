"""Run one method: finish its training, record it, evaluate it on dev and test."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from safetensors.torch import save

from graders.data.labelled import LabelledData
from graders.errors import StorageError, UsageError
from reference.models.backbone import Backbone, load_backbone
from reference.models.classifier import Classifier
from reference.models.methods import PREFIX_LENGTH, Method
from reference.training.classification.encoders import LONGEST, RECIPES
from reference.training.classification.items import Encoded, Scores, encoded
from reference.training.classification.metrics import Evaluation, Training
from reference.training.classification.plan import Plan
from reference.training.classification.task import ClassifierTask
from reference.training.files import plain, write_bytes, write_text
from reference.training.metrics import PARTS, accuracy
from reference.training.phase import Report, measured, seed_of
from reference.training.precision import Machine
from reference.training.trainer import Trainer


@dataclass(frozen=True, slots=True)
class Material:
    """The data shared by all methods of a run: tokens, the machine, the progress callback."""

    plan: Plan
    parts: dict[str, Encoded]
    machine: Machine
    report: Report


def open_backbone(folder: Path) -> Backbone:
    """Return the encoder in a folder. Raises UsageError if transformers cannot load it."""
    try:
        return load_backbone(folder)
    except Exception as error:  # a loader may raise anything on unknown files
        reason = str(error).strip().split("\n")[0][:200]
        raise UsageError(
            f"{folder}: transformers cannot load this encoder: {reason}",
            "give another --backbone, or a folder written by save_pretrained",
        ) from error


def read_parts(plan: Plan, data: LabelledData, backbone: Backbone) -> dict[str, Encoded]:
    """Return the items of all parts as tokens, short enough to leave room for a prefix."""
    longest = min(LONGEST[plan.kind], backbone.longest - PREFIX_LENGTH)
    parts = {"train": data.train, "dev": data.dev, "test": data.test}
    return {part: encoded(backbone, items, longest) for part, items in parts.items()}


def run_method(method: Method, material: Material) -> tuple[Training, tuple[Evaluation, ...]]:
    """Return the method's measurements, from this run or an earlier one that finished it."""
    plan = material.plan
    files = [plan.trained(method), *(plan.predictions(method, part) for part in PARTS)]
    done = plan.state(f"{method}.json")
    training = measured(Training, done, files, lambda: _train(method, material))
    for name in ("state", "best"):
        plan.state(f"{method}.{name}").unlink(missing_ok=True)
    return training, tuple(evaluation(method, part, material) for part in PARTS)


def _train(method: Method, material: Material) -> Training:
    """Train, write the tensors, evaluate on dev and test."""
    plan, report = material.plan, material.report
    backbone = open_backbone(plan.folder)
    seed = seed_of(plan.seed, method)
    torch.manual_seed(seed)
    classifier = Classifier(backbone.model, method).to(material.machine.device)
    scores = Scores(
        classifier, material.parts, int(backbone.tokenizer.pad_token_id), material.machine
    )
    scores.read(lambda done, texts: report(f"{method}.read", done, texts, None))
    recipe = RECIPES[plan.encoder, method]
    task = ClassifierTask(scores, recipe, seed, plan.state(f"{method}.best"))
    trainer = Trainer(task, seed, plan.state(f"{method}.state"))
    progress = trainer.train(partial(report, f"{method}.train"))
    chosen = task.load_best()
    write_bytes(plan.trained(method), save(plain(classifier.trained())))
    _answer(method, scores, material)
    return Training(
        method=method,
        trained=sum(parameter.numel() for parameter in classifier.trained().values()),
        steps=trainer.steps,
        seconds=round(progress.seconds, 3),
        curve=tuple(progress.curve),
        epochs=tuple(task.found),
        chosen=chosen,
    )


def _answer(method: Method, scores: Scores, material: Material) -> None:
    """Write the classifier's labels for dev and test: the only time that test is used."""
    phase = f"{method}.evaluate"
    material.report(phase, 0, len(PARTS), None)
    for number, part in enumerate(PARTS, start=1):
        labels = scores.all_logits(part).argmax(1).tolist()
        text = "".join(f"{label}\n" for label in labels)
        write_text(material.plan.predictions(method, part), text)
        material.report(phase, number, len(PARTS), None)


def evaluation(method: Method, part: str, material: Material) -> Evaluation:
    """Compare the labels that a method wrote with those of the files."""
    predicted, gold = said_of(method, part, material), material.parts[part].labels.tolist()
    return Evaluation(accuracy(method, part, predicted, gold), sum(predicted))


def said_of(method: Method, part: str, material: Material) -> list[int]:
    """Return the labels in a file of predictions. Raises StorageError if it is damaged."""
    file = material.plan.predictions(method, part)
    lines = file.read_text(encoding="utf-8", errors="replace").split()
    if len(lines) != len(material.parts[part]) or set(lines) - {"0", "1"}:
        raise StorageError(
            f"{file}: the file is damaged", "remove it, and its method is trained again"
        )
    return [int(line) for line in lines]
