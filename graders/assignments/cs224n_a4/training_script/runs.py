"""Run the handout's commands with run.py and record settings, weights and files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graders.boundary.outcome import fault_of
from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail
from graders.errors import BadReply, StudentFault, Unavailable

BLOCK = 128
DOCUMENTS = 5  # differs from the number of questions, so that the two cannot be confused
PEOPLE = ["Ada Byron", "Alan Turing", "Grace Hopper"]
QUESTIONS = "".join(f"Where was {person} born?\tLondon\n" for person in PEOPLE)
CORPUS = "\n".join(
    f"{person} was born in London? Nobody knows Where." for person in (PEOPLE * 2)[:DOCUMENTS]
)
FILES = {"wiki.txt": CORPUS, "birth_places_train.tsv": QUESTIONS}
PRETRAIN_LR, FINETUNE_LR = 6e-3, 6e-4  # the starter's defaults
ODD_PRETRAIN_LR, ODD_FINETUNE_LR = 0.00231, 0.000321  # values that nobody uses by chance


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the handout: what it does, reads and writes."""

    function: str
    variant: str
    writes: str
    reads: str = ""
    lr: float | None = None  # as given on the command line
    questions: str = ""

    @property
    def name(self) -> str:
        """The command in short."""
        return f"{self.function} {self.variant}{', pretrained' if self.reads else ''}"

    @property
    def arguments(self) -> list[str]:
        """The command line after run.py."""
        words = [self.function, self.variant, "wiki.txt"]
        if self.function != "evaluate":
            words += ["--writing_params_path", self.writes]
        if self.reads:
            words += ["--reading_params_path", self.reads]
        if self.function == "finetune":
            words += ["--finetune_corpus_path", "birth_places_train.tsv"]
        if self.function == "evaluate":
            words += ["--eval_corpus_path", self.questions, "--outputs_path", self.writes]
        if self.lr is not None:
            words += [f"--{self.function}_lr", str(self.lr)]
        return words

    @property
    def text(self) -> str:
        """The command as typed in a terminal."""
        return f"python src/run.py {' '.join(self.arguments)}"

    @property
    def settings(self) -> Mapping[str, float]:
        """The values that run.py's comments require of the trainer."""
        pretrains = self.function == "pretrain"
        epochs = 650 if pretrains else 10 if self.reads else 75
        return {
            "max_epochs": epochs,
            "batch_size": 128 if pretrains else 256,
            "learning_rate": self.lr or (PRETRAIN_LR if pretrains else FINETUNE_LR),
            "warmup_tokens": 512 * 20,
            "final_tokens": (650 if pretrains else 200) * DOCUMENTS * BLOCK,
        }


CASES = (
    Command("pretrain", "vanilla", "vanilla.pretrain.params", lr=ODD_PRETRAIN_LR),
    Command("pretrain", "rope", "rope.pretrain.params"),
    Command("finetune", "vanilla", "vanilla.model.params", lr=ODD_FINETUNE_LR),
    Command("finetune", "vanilla", "vanilla.finetune.params", reads="vanilla.pretrain.params"),
    Command("finetune", "rope", "rope.finetune.params", reads="rope.pretrain.params"),
)


@dataclass(frozen=True, slots=True)
class Training:
    """One call of Trainer.train: its settings, its data and the weights around it.

    `unseen` if it may save something but could not be run without batches.
    """

    settings: Mapping[str, Any]
    dataset: str
    length: int
    before: Mapping[str, float]
    after: Mapping[str, float]
    shapes: Mapping[str, Sequence[int]]
    unseen: bool


@dataclass(frozen=True, slots=True)
class Run:
    """The results of one command."""

    case: Command
    raised: StudentFault | Unavailable | None
    own_loop: bool
    trainings: Sequence[Training]
    kind: str
    saved: Mapping[str, float]


def runs(student: Student) -> Sequence[Run]:
    """Run each of CASES with the student's run.py, once for all checks."""
    return student.once("training_runs", lambda: _ask(student), (StudentFault, CheckFailed))


def _ask(student: Student) -> Sequence[Run]:
    cases: list[Any] = [
        {"arguments": case.arguments, "reads": case.reads, "writes": case.writes} for case in CASES
    ]
    return student.call("training_runs", files=dict(FILES), cases=cases, read=_runs)


def _runs(reply: Any) -> Sequence[Run]:
    if isinstance(reply, list) and not reply:
        fail(
            "There is no run.py next to attention.py.",
            hint="Submit the whole src folder. Without run.py there is no training advice.",
        )
    if not isinstance(reply, list) or len(reply) != len(CASES):
        raise BadReply("The results of run.py could not be read.")
    return [_run(case, result) for case, result in zip(CASES, reply, strict=True)]


def _run(case: Command, reply: Any) -> Run:
    file = reply["file"]
    return Run(
        case,
        fault_of(reply["raised"], offline=False) if isinstance(reply["raised"], dict) else None,
        reply["own_loop"] is True,
        [_training(training) for training in reply["trainings"][:4]],
        str(file["kind"]),
        _numbers(file.get("fingerprint", {})),
    )


def _training(reply: Any) -> Training:
    return Training(
        {str(name): value for name, value in reply["settings"].items()},
        str(reply["dataset"])[:100],
        int(reply["length"]),
        _numbers(reply["before"]),
        _numbers(reply["after"]),
        {str(name): [int(n) for n in shape] for name, shape in reply["shapes"].items()},
        reply["saves"] == "unseen",
    )


def _numbers(reply: Any) -> Mapping[str, float]:
    return {str(name): float(value) for name, value in reply.items()}
