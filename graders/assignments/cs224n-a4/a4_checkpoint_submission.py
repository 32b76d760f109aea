"""The three checkpoints of one submission, each beside the predictions it should have made."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from weakref import WeakKeyDictionary

from a4_checkpoint_decode import Answers, Decoder, vocabulary_size
from a4_checkpoint_file import Unfit, Weights, read_weights
from a4_checkpoint_model import COURSE, DEMO, Finding, Plan, judge, nearest
from a4_checkpoint_rotations import ROWS, trained_rotation
from a4_files import file_name
from a4_predictions import Aligned, read_predictions

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed
from graders.checks.submitted import SubmittedFiles
from graders.data import Data
from graders.errors import GraderFault
from graders.model import Setting

PARTS = ("dev", "test")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file of weights, its variant, and the model whose predictions it made."""

    file: str
    model: str
    rope: bool


VANILLA_MODEL = Checkpoint("vanilla.model.params", "vanilla.nopretrain", rope=False)
VANILLA_FINETUNE = Checkpoint("vanilla.finetune.params", "vanilla.pretrain", rope=False)
ROPE_FINETUNE = Checkpoint("rope.finetune.params", "rope.pretrain", rope=True)
CHECKPOINTS = (VANILLA_MODEL, VANILLA_FINETUNE, ROPE_FINETUNE)


# Alive as long as the submission's sandbox, like the weights that were read in it.
_ANSWERS: WeakKeyDictionary[Student, dict[tuple[str, str], Answers]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Comparison:
    """One prediction file and what the weights say to the same questions."""

    file: str
    part: str
    predictions: tuple[str, ...]
    answers: Answers

    @property
    def agreeing(self) -> int:
        return self.answers.agreeing(self.predictions)

    @property
    def in_words(self) -> str:
        """How many rows agree, as a student reads it."""
        return f"{self.agreeing} of {len(self.answers.rows)} rows of `{self.file}`"


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Reads, judges and runs the checkpoints of one submission."""

    sandbox: Student
    submitted: SubmittedFiles
    data: Data
    settings: Mapping[str, Setting]

    def read(self, checkpoint: Checkpoint) -> Weights | Unfit:
        """The weights, or why the file holds none; a missing file skips the check."""
        return read_weights(self.sandbox, self.submitted, checkpoint.file)

    def plan(self, weights: Weights, checkpoint: Checkpoint) -> Plan:
        """What the checkpoint must hold, of the sizes that are possible with this data."""
        vocabulary = vocabulary_size(self.data)
        sizes = (COURSE, DEMO) if self.data.embedded else (COURSE,)
        return nearest(weights, [Plan(size, vocabulary, checkpoint.rope) for size in sizes])

    def judge(self, weights: Weights, checkpoint: Checkpoint) -> Finding | None:
        """What is wrong with the weights; GraderFault where the data is not what they know."""
        table = weights.tensors.get("tok_emb.weight")
        asked = int(self.settings["course_vocabulary"])
        if self.data.embedded and table is not None and table.shape[:1] == (asked,):
            raise GraderFault(
                f"`{checkpoint.file}` was trained on the course's corpus, but no course files "
                "were given: grade with --data DIR"
            )
        return judge(weights, self.plan(weights, checkpoint))

    def predictions(self, model: str, part: str) -> tuple[str, ...] | None:
        """The lines of a prediction file, or None where it is missing or cannot be aligned."""
        name = file_name(model, part)
        count = len(self.data.dev if part == "dev" else self.data.test_questions)
        try:
            found = read_predictions(self.submitted.bytes(name), count)
        except CheckFailed:
            return None
        return found.predictions if isinstance(found, Aligned) else None

    def compare(
        self, weights: Weights, checkpoint: Checkpoint
    ) -> tuple[list[Comparison], tuple[str, ...]]:
        """Each readable prediction file beside the weights' answers, and remarks on the rest."""
        decoder = Decoder(weights, self.plan(weights, checkpoint), self.data)
        compared, notes = [], list(decoder.notes)
        for part in PARTS:
            name = file_name(checkpoint.model, part)
            predictions = self.predictions(checkpoint.model, part)
            if predictions is None:
                notes.append(f"`{name}` is missing or cannot be aligned, so it was not compared")
                continue
            compared.append(self.comparison(weights, checkpoint, part, predictions))
        return compared, tuple(notes)

    def comparison(
        self, weights: Weights, checkpoint: Checkpoint, part: str, predictions: tuple[str, ...]
    ) -> Comparison:
        """These predictions beside the weights' answers, which are decoded once for all checks."""
        known = _ANSWERS.setdefault(self.sandbox, {})
        if (checkpoint.file, part) not in known:
            decoder = Decoder(weights, self.plan(weights, checkpoint), self.data)
            most = None if part == "dev" else int(self.settings["checkpoint_test_rows"])
            known[checkpoint.file, part] = decoder.answers(part, most)
        name = file_name(checkpoint.model, part)
        return Comparison(name, part, predictions, known[checkpoint.file, part])

    def is_enough(self, agreeing: int, n: int) -> bool:
        """Whether so many of n rows make a prediction file the weights' own."""
        return Fraction(agreeing, n) >= self.agreement

    @property
    def agreement(self) -> Fraction:
        """The share of rows that must agree."""
        return Fraction(str(self.settings["checkpoint_agree_percent"])) / 100

    def owner(self, comparison: Comparison) -> str:
        """Another prediction file of this part that the weights made, or nothing."""
        answers = comparison.answers
        if answers.is_constant:
            return ""
        for each in CHECKPOINTS:
            name = file_name(each.model, comparison.part)
            other = self.predictions(each.model, comparison.part)
            if name == comparison.file or other is None:
                continue
            if self.is_enough(answers.agreeing(other), len(answers.rows)):
                return name
        return ""

    def rotation(self, weights: Weights, checkpoint: Checkpoint, comparison: Comparison) -> str:
        """Another rotation under which the weights agree with the file, or nothing."""

        def fits(decoder: Decoder) -> bool:
            answers = decoder.answers(comparison.part, ROWS)
            agreeing = answers.agreeing(comparison.predictions)
            return self.is_enough(agreeing, len(answers.rows))

        if not checkpoint.rope:
            return ""
        return trained_rotation(weights, self.plan(weights, checkpoint), self.data, fits)
