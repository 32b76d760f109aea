"""Run one phase: make what is missing, write it down, say what it took."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from graders.data import DEV, TEST_INPUTS, TRAIN, WIKI
from graders.errors import Misuse
from reference.checkpoint import load_checkpoint
from reference.gpt import GPT, GPTConfig
from reference.prediction import predict_places, read_prompts
from reference.vocabulary import Vocabulary
from training.corpus import read_corpus
from training.examples import CorruptedDocuments, Examples, Questions
from training.files import save_tensors, write_text
from training.metrics import Phase, phase_from_json, phase_to_json
from training.plan import PhaseName, Plan
from training.precision import Machine
from training.preset import Recipe
from training.questions import read_questions
from training.schedule import learning_rates
from training.trainer import Course, Trainer

Report = Callable[[str, int, int, float | None], None]  # phase, steps made, steps in all, loss

QUESTIONS = {"dev": DEV, "test": TEST_INPUTS}


@dataclass(frozen=True, slots=True)
class Wiki:
    """The pretraining corpus, and the characters that every model knows."""

    text: str
    vocabulary: Vocabulary


@dataclass(frozen=True, slots=True)
class Task:
    """What a phase trains on, and how; x has `width` columns where the schedule counts tokens."""

    examples: Examples
    recipe: Recipe
    width: int


def run_phase(phase: PhaseName, plan: Plan, machine: Machine, report: Report) -> Phase:
    """The phase as it was measured, now or in an earlier run that finished it."""
    done = plan.state(f"{phase.id}.json")
    if done.is_file() and all((plan.out / name).is_file() for name in phase.files):
        return phase_from_json(done)
    measured = (_evaluate if phase.kind == "evaluate" else _train)(phase, plan, machine, report)
    # Written behind the phase's own files: what has this file is finished.
    write_text(done, phase_to_json(measured))
    plan.state(f"{phase.id}.params").unlink(missing_ok=True)
    return measured


def _train(phase: PhaseName, plan: Plan, machine: Machine, report: Report) -> Phase:
    wiki = _read_wiki(plan)
    task = _task(phase, plan, wiki, machine)
    corpus_tokens = len(wiki.text.split("\n")) * plan.preset.block_size
    multipliers = learning_rates(task.recipe, len(task.examples), task.width, corpus_tokens)
    course = Course(
        task.recipe,
        multipliers,
        _seed(plan.seed, phase.id),
        machine,
        plan.state(f"{phase.id}.params"),
    )
    trainer = Trainer(_model(phase, plan, wiki, machine), task.examples, course)
    steps = len(multipliers)
    report(phase.id, trainer.progress.step, steps, None)
    progress = trainer.train(lambda made, loss: report(phase.id, made, steps, loss))
    save_tensors(plan.out / phase.writes, _plain(trainer.model.state_dict()))
    tokens = task.width * len(task.examples) * task.recipe.epochs
    return Phase(
        id=phase.id,
        variant=phase.variant,
        kind=phase.kind,
        epochs=task.recipe.epochs,
        steps=steps,
        tokens=tokens,
        seconds=round(progress.seconds, 3),
        tokens_per_second=round(tokens / progress.seconds, 1),
        curve=tuple(progress.curve),
    )


def _task(phase: PhaseName, plan: Plan, wiki: Wiki, machine: Machine) -> Task:
    preset = plan.preset
    if phase.kind == "pretrain":
        corpus = read_corpus(wiki.text, wiki.vocabulary, preset.block_size, device=machine.device)
        return Task(CorruptedDocuments(corpus), preset.pretrain, preset.block_size)
    x, y = read_questions(wiki.text, _read(plan, TRAIN), preset.block_size, machine.device)
    recipe = preset.finetune if phase.pretrained else preset.nopretrain
    return Task(Questions(x, y), recipe, preset.block_size - 1)


def _model(phase: PhaseName, plan: Plan, wiki: Wiki, machine: Machine) -> GPT:
    """The model a phase begins with: new, or as an earlier phase left it."""
    preset, dropout = plan.preset, plan.preset.dropout
    config = GPTConfig(
        vocab_size=len(wiki.vocabulary),
        block_size=preset.block_size,
        n_layer=preset.n_layer,
        n_head=preset.n_head,
        n_embd=preset.n_embd,
        embd_pdrop=dropout,
        attn_pdrop=dropout,
        resid_pdrop=dropout,
        rope=phase.variant == "rope",
        flash=machine.device.type == "cuda",
    )
    torch.manual_seed(_seed(plan.seed, phase.variant))
    model = GPT(config)
    if phase.reads:
        model.load(_checkpoint(plan.out / phase.reads))
    return model


def _evaluate(phase: PhaseName, plan: Plan, machine: Machine, report: Report) -> Phase:
    """Write the predictions for dev and test, asked as the course's script asks."""
    wiki = _read_wiki(plan)
    model = _model(phase, plan, wiki, machine).to(machine.device)
    started, said = time.perf_counter(), 0
    report(phase.id, 0, len(QUESTIONS), None)
    for number, (part, name) in enumerate(QUESTIONS.items(), start=1):
        prompts = read_prompts(plan.data / name)
        places = predict_places(model, wiki.vocabulary, prompts)
        said += sum(map(len, places))
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
        tokens=said,
        seconds=round(seconds, 3),
        tokens_per_second=round(said / seconds, 1),
        curve=(),
    )


def _read_wiki(plan: Plan) -> Wiki:
    text = _read(plan, WIKI)
    return Wiki(text, Vocabulary(text))


def _read(plan: Plan, name: str) -> str:
    return (plan.data / name).read_text(encoding="utf-8")


def _checkpoint(file: Path) -> dict[str, torch.Tensor]:
    """The tensors of an earlier phase; raises Misuse where the file is damaged."""
    try:
        return load_checkpoint(file)
    except (ValueError, OSError) as error:
        raise Misuse(f"{file}: {error}", "remove it, and its phase is run again") from error


def _seed(seed: int, name: str) -> int:
    """A seed of its own for each phase, so that a finished one moves no other's draws."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:6], "big")


def _plain(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The tensors on the CPU: the course's evaluate loads them without map_location."""
    return {name: tensor.detach().cpu().clone() for name, tensor in state.items()}
