"""Decide whether a submission's predictions come from its models; if unclear, ask a person.

no checkpoint ----------------------------- setting `missing_checkpoints`
no checkpoint, and unlike any model ------- setting `doubtful_predictions`
a checkpoint that gives the predictions --- accepted
a checkpoint that does not ---------------- setting `doubtful_predictions`
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from graders.checks.compare import fail
from graders.checks.score import Score
from graders.errors import UsageError
from graders.model import Setting

from ..checkpoints.submitted import CHECKPOINTS, Checkpoint, Checkpoints
from ..checkpoints.weights import Unfit
from .extraction import signs_of_extraction
from .places import Scored

Rule = Literal["accept", "review", "none"]
RULES: tuple[Rule, ...] = ("accept", "review", "none")
STANDS = "Your points count unless the course staff decides otherwise."
SUBMIT = "If you still have the checkpoint, submit it; then no manual review is needed."


@dataclass(frozen=True, slots=True)
class Origin:
    """Checks where the predictions of one submission come from."""

    checkpoints: Checkpoints

    def confirm(self, scored: Scored, model: str, part: str, score: Score) -> None:
        """Note, request review or fail, as the settings say, unless a checkpoint gives the file."""
        settings = self.checkpoints.settings
        missing, doubtful = (
            rule(settings, name) for name in ("missing_checkpoints", "doubtful_predictions")
        )
        checkpoint = next(each for each in CHECKPOINTS if each.model == model)
        if self.checkpoints.submitted.has(checkpoint.file):
            if doubtful != "accept" and (said := self._contradiction(checkpoint, scored, part)):
                _act(doubtful, said, score)
            return
        said = f"`{checkpoint.file}` is missing, so we cannot verify which model predicted this."
        if missing == "none":
            _act(missing, said, score)
        if doubtful != "accept" and (
            signs := signs_of_extraction(scored, self.checkpoints.data, part)
        ):
            # A pattern is evidence, not proof, so it never deducts points.
            _act("review", f"{said} {' '.join(signs)}", score)
        elif missing == "review":
            _act(missing, said, score)

    def _contradiction(self, checkpoint: Checkpoint, scored: Scored, part: str) -> str:
        """Return why the checkpoint does not confirm the predictions; nothing if it does."""
        weights = self.checkpoints.read(checkpoint)
        if isinstance(weights, Unfit):
            return weights.reason
        if (finding := self.checkpoints.judge(weights, checkpoint)) is not None:
            return finding.reason
        found = self.checkpoints.comparison(weights, checkpoint, part, scored.predictions)
        if self.checkpoints.is_enough(found.agreeing, len(found.answers.rows)):
            return ""
        if self.checkpoints.rotation(weights, checkpoint, found):
            return ""
        return f"The weights in `{checkpoint.file}` agree with only {found.in_words}."


def rule(settings: Mapping[str, Setting], name: str) -> Rule:
    """Return the assignment's setting; raise UsageError for an unknown value."""
    value = settings[name]
    if value not in RULES:
        known = ", ".join(f"`{each}`" for each in RULES)
        raise UsageError(f"assignment.toml: `settings.{name}` is {value!r}; choose from {known}")
    return value


def _act(rule: Rule, said: str, score: Score) -> None:
    if rule == "none":
        fail(f"{said} Predictions earn no points without their model.", hint=SUBMIT)
    score.confirm(f"{said} {STANDS}", hint=SUBMIT)
