"""One method of a run: train what is left of it, write it down, ask it dev and test."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save

from graders.errors import Misuse
from graders.intervals import wilson
from graders.labelled import LabelledData
from reference.backbone import Backbone, load_backbone
from reference.classifier import Classifier
from reference.methods import PREFIX_LENGTH, Method
from training.classification.items import Encoded, Scores, encoded
from training.classification.metrics import (
    Evaluation,
    Training,
    training_from_json,
    training_to_json,
)
from training.classification.plan import PARTS, Plan
from training.classification.recipes import LONGEST, RECIPES
from training.classification.trainer import Course, Trainer, plain
from training.files import write_bytes, write_text
from training.metrics import Accuracy
from training.precision import Machine

Report = Callable[[str, int, int, float | None], None]  # phase, made, in all, loss


@dataclass(frozen=True, slots=True)
class Material:
    """What all methods of a run share: the texts as tokens, the machine, who is told."""

    plan: Plan
    parts: dict[str, Encoded]
    machine: Machine
    report: Report


def open_backbone(folder: Path) -> Backbone:
    """The encoder in a folder; raises Misuse where transformers cannot load it."""
    try:
        return load_backbone(folder)
    except Exception as error:  # whatever other people's files can do to a loader
        reason = str(error).strip().split("\n")[0][:200]
        raise Misuse(
            f"{folder}: transformers cannot load this encoder: {reason}",
            "give another --backbone, or a folder written by save_pretrained",
        ) from error


def read_parts(plan: Plan, data: LabelledData, backbone: Backbone) -> dict[str, Encoded]:
    """The items of all parts as tokens, short enough for a prefix to stand in front of them."""
    longest = min(LONGEST[plan.kind], backbone.longest - PREFIX_LENGTH)
    parts = {"train": data.train, "dev": data.dev, "test": data.test}
    return {part: encoded(backbone, items, longest) for part, items in parts.items()}


def run_method(method: Method, material: Material) -> tuple[Training, tuple[Evaluation, ...]]:
    """The method as it was measured, now or in an earlier run that finished it."""
    plan, done = material.plan, material.plan.state(f"{method}.json")
    files = [plan.trained(method), *(plan.predictions(method, part) for part in PARTS)]
    if not done.is_file() or not all(file.is_file() for file in files):
        training = _train(method, material)
        # Written behind the method's own files: what has this file is finished.
        write_text(done, training_to_json(training))
        for name in ("state", "best"):
            plan.state(f"{method}.{name}").unlink(missing_ok=True)
    evaluations = tuple(evaluation(method, part, material) for part in PARTS)
    return training_from_json(done), evaluations


def _train(method: Method, material: Material) -> Training:
    """Train, write the tensors, ask dev and test."""
    plan, report = material.plan, material.report
    backbone = open_backbone(plan.folder)
    seed = _seed(plan.seed, method)
    torch.manual_seed(seed)
    classifier = Classifier(backbone.model, method).to(material.machine.device)
    scores = Scores(
        classifier, material.parts, int(backbone.tokenizer.pad_token_id), material.machine
    )
    recipe = RECIPES[plan.encoder, method]
    scores.read(lambda made, texts: report(f"{method}.read", made, texts, None))
    course = Course(recipe, seed, plan.state(f"{method}.state"), plan.state(f"{method}.best"))
    trainer = Trainer(scores, course)
    report(f"{method}.train", trainer.progress.step, trainer.steps, None)
    progress = trainer.train(
        lambda made, loss: report(f"{method}.train", made, trainer.steps, loss)
    )
    write_bytes(plan.trained(method), save(plain(classifier.trained())))
    _answer(method, scores, material)
    return Training(
        method=method,
        trained=sum(parameter.numel() for parameter in classifier.trained().values()),
        steps=trainer.steps,
        seconds=round(progress.seconds, 3),
        curve=tuple(progress.curve),
        epochs=tuple(progress.epochs),
        chosen=progress.chosen,
    )


def _answer(method: Method, scores: Scores, material: Material) -> None:
    """Write what the classifier says of dev and test: the only time that test is looked at."""
    phase = f"{method}.evaluate"
    material.report(phase, 0, len(PARTS), None)
    for number, part in enumerate(PARTS, start=1):
        labels = scores.all_logits(part).argmax(1).tolist()
        text = "".join(f"{label}\n" for label in labels)
        write_text(material.plan.predictions(method, part), text)
        material.report(phase, number, len(PARTS), None)


def evaluation(method: Method, part: str, material: Material) -> Evaluation:
    """How the labels that a method wrote down compare with those of the files."""
    said, gold = said_of(method, part, material), material.parts[part].labels.tolist()
    correct = sum(a == b for a, b in zip(said, gold, strict=True))
    low, high = wilson(correct, len(gold))
    accuracy = Accuracy(method, part, correct, len(gold), correct / len(gold), low, high)
    return Evaluation(accuracy, sum(said))


def said_of(method: Method, part: str, material: Material) -> list[int]:
    """The labels in a file of predictions; raises Misuse where it is damaged."""
    file = material.plan.predictions(method, part)
    lines = file.read_text(encoding="utf-8", errors="replace").split()
    if len(lines) != len(material.parts[part]) or set(lines) - {"0", "1"}:
        raise Misuse(f"{file}: the file is damaged", "remove it, and its method is trained again")
    return [int(line) for line in lines]


def _seed(seed: int, name: str) -> int:
    """A seed of its own for each method, so that a finished one moves no other's draws."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:6], "big")
