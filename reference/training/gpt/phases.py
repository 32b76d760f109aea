"""Run one phase: create what is missing, save it, and return its measurements."""

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch

from graders.data.birthplaces import DEV, TEST_INPUTS, TRAIN, WIKI
from graders.errors import StorageError
from reference.data.vocabulary import Vocabulary
from reference.models.checkpoint import load_checkpoint
from reference.models.gpt import GPT
from reference.models.prediction import predict_places, read_prompts
from reference.training.files import plain, save_tensors, write_text
from reference.training.gpt.batches import (
    CorruptedDocuments,
    Examples,
    Questions,
    read_corpus,
    read_questions,
)
from reference.training.gpt.metrics import Phase
from reference.training.gpt.optimizers import learning_rates
from reference.training.gpt.plan import PhaseSpec, Plan
from reference.training.gpt.preset import Preset, Recipe
from reference.training.gpt.task import GPTTask
from reference.training.phase import Report, measured, seed_of
from reference.training.precision import Machine
from reference.training.trainer import Trainer

QUESTIONS = {"dev": DEV, "test": TEST_INPUTS}


@dataclass(frozen=True, slots=True)
class Wiki:
    """The pretraining corpus, and the characters that every model knows."""

    text: str
    vocabulary: Vocabulary


def run_phase(phase: PhaseSpec, plan: Plan, machine: Machine, report: Report) -> Phase:
    """Return the phase's measurements, from this run or an earlier one that finished it."""
    run = _evaluate if phase.kind == "evaluate" else _train
    done, files = plan.state(f"{phase.id}.json"), [plan.out / name for name in phase.files]
    measurements = measured(Phase, done, files, lambda: run(phase, plan, machine, report))
    plan.state(f"{phase.id}.params").unlink(missing_ok=True)
    return measurements


def _train(phase: PhaseSpec, plan: Plan, machine: Machine, report: Report) -> Phase:
    wiki = _read_wiki(plan)
    examples, width = _examples(phase, plan, wiki, machine)
    recipe = _recipe(phase, plan.preset)
    corpus_tokens = len(wiki.text.split("\n")) * plan.preset.block_size
    multipliers = learning_rates(recipe, len(examples), width, corpus_tokens)
    model = _model(phase, plan, wiki, machine)
    task = GPTTask(model, examples, recipe, multipliers, machine)
    trainer = Trainer(task, seed_of(plan.seed, phase.id), plan.state(f"{phase.id}.params"))
    progress = trainer.train(partial(report, phase.id))
    save_tensors(plan.out / phase.writes, plain(model.state_dict()))
    tokens = width * len(examples) * recipe.epochs
    return Phase(
        id=phase.id,
        variant=phase.variant,
        kind=phase.kind,
        epochs=recipe.epochs,
        steps=trainer.steps,
        tokens=tokens,
        seconds=round(progress.seconds, 3),
        tokens_per_second=round(tokens / progress.seconds, 1),
        curve=tuple(progress.curve),
        note=task.note,
    )


def _examples(phase: PhaseSpec, plan: Plan, wiki: Wiki, machine: Machine) -> tuple[Examples, int]:
    """Return a phase's training examples, and the width of x if the schedule counts tokens."""
    block_size, device = plan.preset.block_size, machine.device
    if phase.kind == "pretrain":
        corpus = read_corpus(wiki.text, wiki.vocabulary, block_size, device=device)
        return CorruptedDocuments(corpus), block_size
    x, y = read_questions(wiki.text, _read(plan, TRAIN), block_size, device)
    return Questions(x, y), block_size - 1


def _recipe(phase: PhaseSpec, preset: Preset) -> Recipe:
    if phase.kind == "pretrain":
        return preset.pretrain
    return preset.finetune if phase.pretrained else preset.nopretrain


def _model(phase: PhaseSpec, plan: Plan, wiki: Wiki, machine: Machine) -> GPT:
    """Return the initial model of a phase: new, or from an earlier phase."""
    config = plan.preset.model(
        len(wiki.vocabulary), rope=phase.variant == "rope", flash=machine.device.type == "cuda"
    )
    torch.manual_seed(seed_of(plan.seed, phase.variant))
    model = GPT(config)
    if phase.reads:
        model.load(_checkpoint(plan.out / phase.reads))
    return model


def _evaluate(phase: PhaseSpec, plan: Plan, machine: Machine, report: Report) -> Phase:
    """Write the predictions for dev and test, with the prompts of the course's script."""
    wiki = _read_wiki(plan)
    model = _model(phase, plan, wiki, machine).to(machine.device)
    started, tokens = time.perf_counter(), 0
    report(phase.id, 0, len(QUESTIONS), None)
    for number, (part, name) in enumerate(QUESTIONS.items(), start=1):
        prompts = read_prompts(plan.data / name)
        places = predict_places(model, wiki.vocabulary, prompts)
        tokens += sum(map(len, places))
        lines = "".join(f"{place}\n" for place in places)
        write_text(plan.out / phase.prediction_file(part), lines)
        report(phase.id, number, len(QUESTIONS), None)
    seconds = time.perf_counter() - started
    return Phase(
        id=phase.id,
        variant=phase.variant,
        kind=phase.kind,
        epochs=0,
        steps=0,
        tokens=tokens,
        seconds=round(seconds, 3),
        tokens_per_second=round(tokens / seconds, 1),
        curve=(),
    )


def _read_wiki(plan: Plan) -> Wiki:
    text = _read(plan, WIKI)
    return Wiki(text, Vocabulary(text))


def _read(plan: Plan, name: str) -> str:
    return (plan.data / name).read_text(encoding="utf-8")


def _checkpoint(file: Path) -> dict[str, torch.Tensor]:
    """Return the tensors of an earlier phase. Raises StorageError if the file is damaged."""
    try:
        return load_checkpoint(file)
    except (ValueError, OSError) as error:
        raise StorageError(f"{file}: {error}", "remove it, and its phase is run again") from error
