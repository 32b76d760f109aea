"""The reference pipelines: the accuracy and speed of correct code on an assignment's data."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from commands.options import Data, Out
from graders.data.labelled import Kind
from graders.errors import UsageError
from graders.model import Assignment
from graders.registry.discovery import load_assignment
from reports.pipelines import progress as pipeline_progress
from reports.pipelines.classifier_page import write_classifier_page
from reports.pipelines.page import write_pipeline_page

Of = Annotated[str, typer.Option(help="cs224n-a4, uw-a2 or jhu-hw6.")]
Variants = Annotated[
    str | None,
    typer.Option(help="cs224n-a4 only: vanilla, rope or both.", show_default="vanilla,rope"),
]
PresetName = Annotated[
    str | None,
    typer.Option(help="cs224n-a4 only: demo or cs224n-a4.", show_default="cs224n-a4 with --data"),
]
Backbone = Annotated[
    str | None,
    typer.Option(
        metavar="DIR|tiny|minilm",
        help="Classifier only: encoder folder, tiny or minilm.",
        show_default="minilm with --data",
    ),
]
Methods = Annotated[
    str | None,
    typer.Option(
        help="Classifier only: full, head, prefix or several.", show_default="full,head,prefix"
    ),
]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda.")]
Precision = Annotated[str, typer.Option(help="auto, bf16 or fp32.")]
Seed = Annotated[int, typer.Option(help="Random seed.")]


def pipeline(
    out: Out = Path("out/pipeline"),
    data: Data = None,
    assignment: Of = "cs224n-a4",
    variants: Variants = None,
    preset: PresetName = None,
    backbone: Backbone = None,
    methods: Methods = None,
    device: Device = "auto",
    precision: Precision = "auto",
    seed: Seed = 0,
) -> None:
    """Train and evaluate an assignment's reference models; run it again to resume."""
    task = load_assignment(assignment)
    if task.data == "files" or not any(criterion.kind == "code" for criterion in task.rubric):
        raise UsageError(
            f"{task.name} has no pipeline",
            "cs224n-a4, uw-a2 and jhu-hw6 have one",
        )
    shared = Shared(out, data, device, precision, seed)
    if task.data == "birthplaces":
        _refuse(task, {"--backbone": backbone, "--methods": methods})
        _language_model(variants, preset, shared)
    else:
        _refuse(task, {"--variants": variants, "--preset": preset})
        named = "full,head,prefix" if methods is None else methods
        _classifier(task.name, task.data, backbone or "", named, shared)


@dataclass(frozen=True, slots=True)
class Shared:
    """The options of every pipeline."""

    out: Path
    data: Path | None
    device: str
    precision: str
    seed: int


def _refuse(task: Assignment, options: dict[str, str | None]) -> None:
    for name, value in options.items():
        if value is not None:
            raise UsageError(
                f"{name} is not an option of the pipeline of {task.name}",
                "leave it out, or give the --assignment that it belongs to",
            )


def _language_model(variants: str | None, preset: str | None, shared: Shared) -> None:
    """Pretrain, finetune and evaluate the character models."""
    # Training imports torch, which other commands don't need to load.
    from reference.training.gpt.pipeline import Options, train

    out, chosen = shared.out, "vanilla,rope" if variants is None else variants
    options = Options(variants=chosen, preset=preset or "", **asdict(shared))
    with pipeline_progress.PipelineProgress() as progress:
        metrics = train(options, progress.update, lambda latest: write_pipeline_page(latest, out))
    pipeline_progress.show_pipeline(metrics, out)


def _classifier(name: str, kind: Kind, backbone: str, methods: str, shared: Shared) -> None:
    """Fine-tune the classifier by each method."""
    from reference.training.classification.command import Options, train

    out = shared.out
    options = Options(name, kind, backbone=backbone, methods=methods, **asdict(shared))
    with pipeline_progress.PipelineProgress() as progress:
        metrics = train(options, progress.update, lambda latest: write_classifier_page(latest, out))
    pipeline_progress.show_classifier(metrics, out)
