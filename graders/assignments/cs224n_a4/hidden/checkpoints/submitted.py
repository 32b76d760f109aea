"""The three checkpoints of one submission, with the predictions that each should have made."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from weakref import WeakKeyDictionary

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed
from graders.checks.submitted import SubmittedFiles
from graders.data.birthplaces import Data
from graders.errors import GraderFault
from graders.model import Setting

from ..predictions.files import Aligned, read_predictions
from ..predictions.submitted import file_name
from .decoding import Answers, Decoder, vocabulary_size
from .expected import COURSE, DEMO, Finding, Plan, judge, nearest
from .rotations import ROWS, trained_rotation
from .weights import Unfit, Weights, read_weights

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


# Lives as long as the submission's sandbox, like the weights that were read in it.
_ANSWERS: WeakKeyDictionary[Student, dict[tuple[str, str], Answers]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Comparison:
    """One prediction file and the weights' answers to the same questions."""

    file: str
    part: str
    predictions: tuple[str, ...]
    answers: Answers

    @property
    def agreeing(self) -> int:
        return self.answers.agreeing(self.predictions)

    @property
    def in_words(self) -> str:
        """The number of rows that agree, in words."""
        return f"{self.agreeing} of {len(self.answers.rows)} rows of `{self.file}`"


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Reads, checks and runs the checkpoints of one submission."""

    sandbox: Student
    submitted: SubmittedFiles
    data: Data
    settings: Mapping[str, Setting]

    def read(self, checkpoint: Checkpoint) -> Weights | Unfit:
        """Return the weights, or why the file has none; a missing file skips the check."""
        return read_weights(self.sandbox, self.submitted, checkpoint.file)

    def plan(self, weights: Weights, checkpoint: Checkpoint) -> Plan:
        """Return what the checkpoint must contain, for the sizes possible with this data."""
        vocabulary = vocabulary_size(self.data)
        sizes = (COURSE, DEMO) if self.data.embedded else (COURSE,)
        return nearest(weights, [Plan(size, vocabulary, checkpoint.rope) for size in sizes])

    def judge(self, weights: Weights, checkpoint: Checkpoint) -> Finding | None:
        """Return what is wrong with the weights; raise GraderFault without the course's data."""
        table = weights.tensors.get("tok_emb.weight")
        asked = int(self.settings["course_vocabulary"])
        if self.data.embedded and table is not None and table.shape[:1] == (asked,):
            raise GraderFault(
                f"`{checkpoint.file}` was trained on the course's corpus, but no course files "
                "were given. Grade with --data DIR"
            )
        return judge(weights, self.plan(weights, checkpoint))

    def predictions(self, model: str, part: str) -> tuple[str, ...] | None:
        """Return the lines of a prediction file, or None if it is missing or cannot be aligned."""
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
        """Return each readable prediction file with the weights' answers, and notes on the rest."""
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
        """Return these predictions with the weights' answers, decoded once for all checks."""
        known = _ANSWERS.setdefault(self.sandbox, {})
        if (checkpoint.file, part) not in known:
            decoder = Decoder(weights, self.plan(weights, checkpoint), self.data)
            most = None if part == "dev" else int(self.settings["checkpoint_test_rows"])
            known[checkpoint.file, part] = decoder.answers(part, most)
        name = file_name(checkpoint.model, part)
        return Comparison(name, part, predictions, known[checkpoint.file, part])

    def is_enough(self, agreeing: int, n: int) -> bool:
        """Return whether enough of n rows agree for the weights to have made the predictions."""
        return Fraction(agreeing, n) >= self.agreement

    @property
    def agreement(self) -> Fraction:
        """The fraction of rows that must agree."""
        return Fraction(str(self.settings["checkpoint_agree_percent"])) / 100

    def owner(self, comparison: Comparison) -> str:
        """Return another prediction file of this part that the weights made, or nothing."""
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
        """Return another rotation with which the weights agree with the file, or nothing."""

        def fits(decoder: Decoder) -> bool:
            answers = decoder.answers(comparison.part, ROWS)
            agreeing = answers.agreeing(comparison.predictions)
            return self.is_enough(agreeing, len(answers.rows))

        if not checkpoint.rope:
            return ""
        return trained_rotation(weights, self.plan(weights, checkpoint), self.data, fits)
