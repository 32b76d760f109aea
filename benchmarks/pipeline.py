"""Compare the speed of the pipeline's parts with plain loops in the course's style, in one run.

    python benchmarks/pipeline.py [--data DIR] [--threads 2] [--steps 4] [--parts step ...] [--gpu]

Prints, for each part, seconds of the plain loop and of the pipeline, their ratio, the arithmetic
floor (FLOPs divided by the speed of a large product on this machine) and the fraction of it that is
reached. The plain loops are in benchmarks/support/plain_loop.py. With --gpu, the course's whole
pipeline is timed instead, on the GPU that torch finds.
"""

import argparse
import dataclasses
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import torch
from support.plain_loop import (
    Example,
    Schedule,
    loader,
    plain_evaluate,
    plain_optimizer,
    plain_step,
)
from torch.utils.data import Dataset

from graders.data.birthplaces import DEV, TRAIN, WIKI, Data, open_data
from reference.data.corruption import CharCorruptionDataset
from reference.data.vocabulary import Vocabulary
from reference.models.gpt import GPT, GPTConfig
from reference.models.prediction import STEPS, predict_places, read_prompts
from reference.training.gpt.batches import (
    AHEAD,
    CorruptedDocuments,
    Questions,
    read_corpus,
    read_questions,
)
from reference.training.gpt.optimizers import make_optimizers
from reference.training.gpt.pipeline import run_pipeline
from reference.training.gpt.plan import Plan
from reference.training.gpt.preset import COURSE
from reference.training.gpt.step import Step
from reference.training.gpt.task import GROUP
from reference.training.precision import Machine, choose_machine

T = TypeVar("T")

CPU = torch.device("cpu")
PROBE = 2048  # rows and columns of the product whose speed is the machine's peak
PARTS = ("corrupt", "step", "evaluate")
TUNING_STEPS = 40  # enough for answers that end, as those of a finetuned model do


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One part, timed both ways; `flop` is the minimum number of operations."""

    what: str
    plain: float
    ours: float
    flop: float = 0.0
    note: str = ""


def main() -> None:
    """Print the table."""
    options = arguments()
    torch.set_num_threads(options.threads)
    with open_data(options.data) as data:
        if options.gpu:
            time_gpu(data, options)
            return
        machine = choose_machine("cpu")
        peaks = {dtype: flops_per_second(dtype) for dtype in (torch.float32, machine.dtype)}
        print(f"{options.threads} threads, {data.description}")
        print(f"products of {PROBE} rows: {words_of(peaks)}")
        if "corrupt" in options.parts:
            print_row(time_corruption(data), peaks[torch.float32])
        for dtype in dict.fromkeys((torch.float32, machine.dtype)):
            if "step" in options.parts:
                print_row(time_step(data, Machine(CPU, dtype), options.steps), peaks[dtype])
        for rope in (False, True):
            if "evaluate" in options.parts:
                print_row(time_evaluation(data, rope=rope), peaks[torch.float32])


def arguments() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--data", type=Path, help="the course's files (default: the built-in sample dataset)"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=4, help="training steps timed each way")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--gpu", action="store_true", help="time the course's pipeline on a GPU")
    parser.add_argument("--out", type=Path, help="keep the GPU run's files here")
    return parser.parse_args()


def print_row(row: Row, peak: float) -> None:
    """Print one line: both times, the ratio, the floor and the fraction of it that is reached."""
    line = f"{row.what:48} {row.plain:9.4f} s {row.ours:9.4f} s {row.plain / row.ours:7.1f} x"
    if row.flop:
        floor = row.flop / peak
        line += f"   floor {floor:.3f} s, {100 * floor / row.ours:.0f} % of it reached"
    print(line + (f"   {row.note}" if row.note else ""), flush=True)


def words_of(peaks: dict[torch.dtype, float]) -> str:
    """Return the peaks in words: `float32 170 GFLOP/s, ...`."""
    return ", ".join(
        f"{str(t).removeprefix('torch.')} {p / 1e9:.0f} GFLOP/s" for t, p in peaks.items()
    )


def flops_per_second(dtype: torch.dtype) -> float:
    """Return the speed of a large product, the best of a few."""
    a, b = torch.randn(2, PROBE, PROBE).to(dtype)
    return 2 * PROBE**3 / min(seconds(lambda: a @ b) for _ in range(5))


def seconds(work: Callable[[], object]) -> float:
    """Return the wall seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def text_of(data: Data, name: str) -> str:
    """Return the text of a data file."""
    return (data.folder / name).read_text(encoding="utf-8")


def course_model(data: Data, *, rope: bool = False) -> GPT:
    """Return a new model of the course's size, with its dropout."""
    torch.manual_seed(0)
    vocab_size = len(Vocabulary(text_of(data, WIKI)))
    return GPT(GPTConfig(vocab_size, COURSE.block_size, rope=rope))


def forward_flop(model: GPT, positions: float, context: float) -> float:
    """Return the FLOPs of a forward pass: two per weight and position, plus attention."""
    weights = sum(p.numel() for p in model.blocks.parameters() if p.ndim == 2)
    weights += model.head.weight.numel()
    attention = 4 * model.config.n_layer * context * model.config.n_embd
    return positions * (2 * weights + attention)


# ---------------------------------------------------------------- the parts


def time_corruption(data: Data) -> Row:
    """Time corrupting a batch of 128, one document after another and all at once."""
    text = text_of(data, WIKI)
    dataset = CharCorruptionDataset(text, COURSE.block_size)
    batches = loader(dataset, 128)
    plain = seconds(lambda: list(batches)) / len(batches)
    documents = CorruptedDocuments(
        read_corpus(text, Vocabulary(text), COURSE.block_size, device=CPU)
    )
    order = torch.arange(len(documents))
    count = sum(1 for _ in documents.batches(order, 128))
    best = min(seconds(lambda: list(documents.batches(order, 128))) for _ in range(20))
    return Row("corrupt a batch of 128", plain, best / count, note=f"{AHEAD} drawn at once")


def time_step(data: Data, machine: Machine, steps: int) -> Row:
    """Time training steps of the course's model on batches of 128 documents."""
    text = text_of(data, WIKI)
    dataset: Dataset[Example] = CharCorruptionDataset(text, COURSE.block_size)
    model = course_model(data).train()
    optimizer = plain_optimizer(model, 6e-3)
    schedule = Schedule(6e-3, 10240, 244_358_400)
    xs = [batch for batch, _ in zip(loader(dataset, 128), range(steps + 1), strict=False)]
    plain = mean_seconds(lambda batch: plain_step(model, optimizer, batch, schedule), xs)
    model = course_model(data).train()
    step = Step(model, make_optimizers(model, COURSE.pretrain, torch.float32), machine, GROUP)
    corpus = read_corpus(text, Vocabulary(text), COURSE.block_size, device=CPU)
    drawn = CorruptedDocuments(corpus).batches(torch.arange(len(corpus)), 128)
    batches = [batch for batch, _ in zip(drawn, range(steps + 1), strict=False)]
    ours = mean_seconds(lambda batch: step(batch, [6e-3]), batches)
    real = float(sum(batch.lengths.sum() for batch in batches[1:])) / steps
    flop = 3 * forward_flop(model, real, real / 128)
    return Row(f"training step, {machine.precision}, course size", plain, ours, flop)


def mean_seconds(work: Callable[[T], object], batches: Sequence[T]) -> float:
    """Return the mean seconds of a call for each batch but the first, which warms up."""
    work(batches[0])
    start = time.perf_counter()
    for batch in batches[1:]:
        work(batch)
    return (time.perf_counter() - start) / (len(batches) - 1)


def time_evaluation(data: Data, *, rope: bool) -> Row:
    """Time answering the dev questions with a model that has learned how answers end."""
    text = text_of(data, WIKI)
    vocabulary, prompts = Vocabulary(text), read_prompts(data.folder / DEV)
    model = briefly_finetuned(data, rope=rope)
    ours: list[str] = []
    fast = seconds(lambda: ours.extend(predict_places(model, vocabulary, prompts)))
    plain: list[str] = []
    slow = seconds(lambda: plain.extend(plain_evaluate(model, vocabulary, prompts)))
    same = sum(a == b for a, b in zip(ours, plain, strict=True))
    generated = sum(min(len(place) + 1, STEPS) for place in ours)
    read = sum(map(len, prompts))
    flop = forward_flop(model, read + generated, (read + generated) / len(prompts) / 2)
    note = f"{same} of {len(prompts)} predictions the same"
    name = "rope" if rope else "vanilla"
    return Row(f"evaluate {len(prompts)} dev questions, {name}", slow, fast, flop, note)


def briefly_finetuned(data: Data, *, rope: bool) -> GPT:
    """Return a model of the course's size after a few steps of finetuning."""
    machine = choose_machine("cpu")
    model = course_model(data, rope=rope).train()
    recipe = COURSE.nopretrain
    step = Step(model, make_optimizers(model, recipe, torch.float32), machine, GROUP)
    x, y = read_questions(text_of(data, WIKI), text_of(data, TRAIN), COURSE.block_size, CPU)
    examples, steps = Questions(x, y), 0
    while steps < TUNING_STEPS:
        for batch in examples.batches(torch.randperm(len(examples)), 128):
            step(batch, [recipe.learning_rate])
            steps += 1
    return model.eval()


# ---------------------------------------------------------------- a GPU


def time_gpu(data: Data, options: argparse.Namespace) -> None:
    """Print the course's whole pipeline on a GPU: seconds and tokens/s per phase, accuracies."""
    machine = choose_machine("cuda")
    a, b = torch.randn(2, 8192, 8192, device="cuda", dtype=torch.bfloat16)
    torch.cuda.synchronize()

    def product() -> None:
        torch.mm(a, b)
        torch.cuda.synchronize()

    peak = 2 * 8192**3 / min(seconds(product) for _ in range(10))
    print(f"{machine.name}: products in bfloat16 reach {peak / 1e12:.0f} TFLOP/s")
    with tempfile.TemporaryDirectory() as folder:
        out = options.out or Path(folder)
        plan = Plan(COURSE, ("vanilla", "rope"), data.folder, data.description, out, 0)
        started = time.perf_counter()
        metrics = run_pipeline(plan, data, machine, report=lambda *_: None, publish=lambda _: None)
        print(f"whole pipeline {time.perf_counter() - started:.1f} s")
    for phase in metrics.phases:
        line = f"{phase.id:28} {phase.seconds:8.2f} s {phase.tokens_per_second:14,.0f} tokens/s"
        if phase.kind == "pretrain":
            model = course_model(data)
            flop = 3 * forward_flop(model, phase.tokens, COURSE.block_size / 2)
            line += f" {100 * flop / phase.seconds / peak:5.1f} % of the bfloat16 ceiling"
        if phase.curve:
            line += f" loss {phase.curve[0].loss:.3f} to {phase.curve[-1].loss:.3f}"
        print(line, phase.note)
    for accuracy in metrics.accuracies:
        print(
            f"{accuracy.model} {accuracy.part}: {accuracy.correct} of {accuracy.n}"
            f" = {100 * accuracy.share:.1f} %"
        )


if __name__ == "__main__":
    main()
