"""The three checkpoints of one submission, with the predictions that each should have made."""

from dataclasses import dataclass
from fractions import Fraction

from graders.boundary.student import Student
from graders.checks.inputs import Inputs
from graders.errors import GraderFault

from ..predictions.submitted import (
    NO_PRETRAIN,
    PARTS,
    PRETRAIN,
    ROPE,
    PredictionFiles,
    file_name,
)
from .decoding import ROTATION_ROWS, Answers, Decoder, trained_rotation, vocabulary
from .expected import COURSE, DEMO, Plan, judge, misfit, nearest
from .weights import Finding, Weights, read_weights


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file of weights, its variant, and the model whose predictions it made."""

    file: str
    model: str
    rope: bool

    @property
    def variant(self) -> str:
        """The variant in run.py's words."""
        return "rope" if self.rope else "vanilla"

    @property
    def starts_from(self) -> str:
        """The file of pretrained weights that it is finetuned from, if any."""
        return "" if self.model == NO_PRETRAIN else f"{self.variant}.pretrain.params"

    @property
    def id(self) -> str:
        """The file's name in the ids of checks: `vanilla-model`."""
        return self.file.removesuffix(".params").replace(".", "-")


VANILLA_MODEL = Checkpoint("vanilla.model.params", NO_PRETRAIN, rope=False)
VANILLA_FINETUNE = Checkpoint("vanilla.finetune.params", PRETRAIN, rope=False)
ROPE_FINETUNE = Checkpoint("rope.finetune.params", ROPE, rope=True)
CHECKPOINTS = (VANILLA_MODEL, VANILLA_FINETUNE, ROPE_FINETUNE)


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
    files: PredictionFiles
    inputs: Inputs

    def read(self, checkpoint: Checkpoint) -> Weights | Finding:
        """Return the weights, or why the file has none; a missing file skips the check."""
        return read_weights(self.sandbox, self.files.submitted, checkpoint.file)

    def plan(self, weights: Weights, checkpoint: Checkpoint) -> Plan:
        """Return what the checkpoint must contain, for the sizes possible with this data."""
        characters = len(vocabulary(self.files.data))
        sizes = (COURSE, DEMO) if self.files.data.embedded else (COURSE,)
        return nearest(weights, [Plan(size, characters, checkpoint.rope) for size in sizes])

    def judge(self, weights: Weights, checkpoint: Checkpoint) -> Finding | None:
        """Return what is wrong with the weights; raise GraderFault without the course's data."""
        self._require_course_data(weights, checkpoint)
        return judge(weights, self.plan(weights, checkpoint))

    def misfit(self, weights: Weights, checkpoint: Checkpoint) -> Finding | None:
        """Return why no model can have these weights; raise GraderFault as `judge` does."""
        self._require_course_data(weights, checkpoint)
        return misfit(weights, self.plan(weights, checkpoint))

    def _require_course_data(self, weights: Weights, checkpoint: Checkpoint) -> None:
        table = weights.tensors.get("tok_emb.weight")
        characters = int(self.files.settings["course_vocabulary"])
        if self.files.data.embedded and table is not None and table.shape[:1] == (characters,):
            raise GraderFault(
                f"`{checkpoint.file}` was trained on the course's corpus, but no course files "
                "were given. Grade with --data DIR"
            )

    def compare(
        self, weights: Weights, checkpoint: Checkpoint
    ) -> tuple[list[Comparison], tuple[str, ...]]:
        """Return each readable prediction file with the weights' answers, and notes on the rest."""
        decoder = Decoder(weights, self.plan(weights, checkpoint), self.files.data)
        compared, notes = [], list(decoder.notes)
        for part in PARTS:
            name = file_name(checkpoint.model, part)
            predictions = self.files.lines(checkpoint.model, part)
            if not predictions:
                notes.append(f"`{name}` is missing or cannot be aligned, so it was not compared")
                continue
            compared.append(self.comparison(weights, checkpoint, part, predictions))
        return compared, tuple(notes)

    def comparison(
        self, weights: Weights, checkpoint: Checkpoint, part: str, predictions: tuple[str, ...]
    ) -> Comparison:
        """Return these predictions with the weights' answers, decoded once for all checks."""

        def decode() -> Answers:
            decoder = Decoder(weights, self.plan(weights, checkpoint), self.files.data)
            most = None if part == "dev" else int(self.files.settings["checkpoint_test_rows"])
            return decoder.answers(part, most, self.inputs.random("rows", part))

        answers = self.sandbox.once(("answers", checkpoint.file, part), decode)
        return Comparison(file_name(checkpoint.model, part), part, predictions, answers)

    def confirms(self, comparison: Comparison) -> bool:
        """Return whether enough rows agree for the weights to have made the predictions."""
        return self._are_from(comparison.answers, comparison.predictions)

    def _are_from(self, answers: Answers, predictions: tuple[str, ...]) -> bool:
        return Fraction(answers.agreeing(predictions), len(answers.rows)) >= self.agreement

    @property
    def agreement(self) -> Fraction:
        """The fraction of rows that must agree."""
        return self.files.percent("checkpoint_agree_percent")

    def owner(self, comparison: Comparison) -> str:
        """Return another prediction file of this part that the weights made, or nothing."""
        answers = comparison.answers
        if answers.is_constant:
            return ""
        for checkpoint in CHECKPOINTS:
            name = file_name(checkpoint.model, comparison.part)
            other = self.files.lines(checkpoint.model, comparison.part)
            if name != comparison.file and other and self._are_from(answers, other):
                return name
        return ""

    def rotation(self, weights: Weights, checkpoint: Checkpoint, comparison: Comparison) -> str:
        """Return another rotation with which the weights agree with the file, or nothing."""

        def fits(decoder: Decoder) -> bool:
            rows = self.inputs.random("rotation rows", comparison.part)
            answers = decoder.answers(comparison.part, ROTATION_ROWS, rows)
            return self._are_from(answers, comparison.predictions)

        if not checkpoint.rope:
            return ""
        return trained_rotation(weights, self.plan(weights, checkpoint), self.files.data, fits)
