"""Score a prediction file by its name, or say why it has no score."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from graders.checks.compare import CheckFailed, fail
from graders.checks.submitted import SubmittedFiles
from graders.data.birthplaces import DEV, TEST, TEST_INPUTS, Data
from graders.errors import GraderFault, UsageError
from graders.model import Setting

from .files import Aligned, Misaligned, read_predictions
from .places import Scored, likeness

QUESTIONS = {"dev": DEV, "test": TEST_INPUTS}
PARTS = tuple(QUESTIONS)
NO_PRETRAIN, PRETRAIN, ROPE = MODELS = ("vanilla.nopretrain", "vanilla.pretrain", "rope.pretrain")


@dataclass(frozen=True, slots=True)
class PredictionFiles:
    """The six prediction files of one submission, with the answers and the settings."""

    submitted: SubmittedFiles
    data: Data
    settings: Mapping[str, Setting]

    def score(self, model: str, part: str) -> Scored:
        """Score the file `MODEL.PART.predictions`; fail the check if it cannot be scored.

        Raises GraderFault if the fault is ours: the answers are missing, or they are those of the
        built-in sample dataset.
        """
        name = file_name(model, part)
        raw = self.submitted.bytes(name)
        count = len(self._questions(part))
        aligned = read_predictions(raw, count)
        if isinstance(aligned, Misaligned):
            self._require_course_data(raw)
            hint = self._copy_of_other_part(model, part, raw) or likeness(aligned.lines, self.data)
            fail(aligned.reason, hint=hint, expected=f"{count} lines, one place per question")
        scored = Scored(name, aligned.predictions, self._gold(part), aligned.notes)
        self._fail_if_copy(model, part, scored)
        return scored

    def score_or_none(self, model: str, part: str) -> Scored | None:
        """Score the file, or return None if it is missing or cannot be read."""
        try:
            return self.score(model, part)
        except CheckFailed:
            return None

    def twin(self, scored: Scored, model: str, part: str) -> bool:
        """Return whether another model's file of this part is identical.

        One place for everybody doesn't count: two poor models may do that.
        """
        return not scored.is_constant and self._read(model, part, scored.n) == scored.predictions

    @property
    def alpha(self) -> float:
        """The p-value below which a difference is significant."""
        return float(self.settings["similar_alpha"])

    def percent(self, name: str) -> Fraction:
        """Return a setting that is in percent."""
        return Fraction(str(self.settings[name])) / 100

    def lines(self, model: str, part: str) -> tuple[str, ...]:
        """Return the predictions of one file, or none if it is missing or cannot be read."""
        return self._read(model, part, len(self._questions(part)))

    def _read(self, model: str, part: str, count: int) -> tuple[str, ...]:
        name = file_name(model, part)
        if not self.submitted.has(name):
            return ()
        try:
            result = read_predictions(self.submitted.bytes(name), count)
        except CheckFailed:
            return ()
        return result.predictions if isinstance(result, Aligned) else ()

    def _questions(self, part: str) -> tuple[str, ...]:
        return self.data.dev if part == "dev" else self.data.test_questions

    def _gold(self, part: str) -> tuple[str, ...]:
        gold = self.data.dev if part == "dev" else self.data.test
        if gold is None:
            raise GraderFault(
                f"the answers of the test set are missing. Put {TEST} into the --data folder"
            )
        return gold

    def _require_course_data(self, raw: bytes) -> None:
        """Raise if the built-in sample dataset would grade predictions for the course's data."""
        counts = [self.settings[f"course_{part}_lines"] for part in PARTS]
        if self.data.embedded and any(
            isinstance(read_predictions(raw, int(count)), Aligned) for count in counts
        ):
            raise GraderFault(
                "these predictions are for the course's questions, but no course files were "
                "given. Grade with --data DIR"
            )

    def _copy_of_other_part(self, model: str, part: str, raw: bytes) -> str:
        """Return a hint if the dev file is a test file under another name, or the reverse."""
        other = _other(part)
        count = len(self._questions(other))
        here = read_predictions(raw, count)
        if isinstance(here, Misaligned):
            return ""
        for other_model in sorted(MODELS, key=lambda name: name != model):
            if self._read(other_model, other, count) == here.predictions:
                name = file_name(other_model, other)
                return f"It is a copy of `{name}`; evaluate on the {part} questions again."
        if self._read(model, other, count):
            name = file_name(model, other)
            return f"It has as many lines as `{name}`; evaluate on the {part} questions."
        return ""

    def _fail_if_copy(self, model: str, part: str, scored: Scored) -> None:
        """Fail if dev and test files are identical, for sets with equally many questions.

        The one with fewer correct answers is the copy; if that is a tie, the dev file is.
        """
        other = _other(part)
        if len(self._questions(other)) != scored.n or not self.twin(scored, model, other):
            return
        there = Scored("", scored.predictions, self._gold(other), ()).correct
        if scored.correct < there or (scored.correct == there and part == "dev"):
            fail(
                f"`{scored.name}` is a copy of `{file_name(model, other)}`.",
                hint=f"Evaluate on the {part} questions again.",
                actual=scored.in_words,
            )


def choice(settings: Mapping[str, Setting], name: str, choices: Collection[str]) -> str:
    """Return the assignment's setting; raise UsageError unless it is one of these."""
    value = settings[name]
    if value not in choices:
        options = ", ".join(f"`{option}`" for option in choices)
        raise UsageError(f"assignment.toml: `settings.{name}` is {value!r}; choose from {options}")
    return str(value)


def file_name(model: str, part: str) -> str:
    """Return a file name: `vanilla.pretrain` and `dev` give `vanilla.pretrain.dev.predictions`."""
    return f"{model}.{part}.predictions"


def _other(part: str) -> str:
    return "test" if part == "dev" else "dev"
