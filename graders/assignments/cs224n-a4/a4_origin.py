"""Whether the predictions of a submission come from its models; a person confirms where not shown.

no checkpoint ----------------------------- setting `missing_checkpoints`
no checkpoint, and unlike any model ------- setting `doubtful_predictions`
a checkpoint that gives the predictions --- nothing is asked
a checkpoint that does not ---------------- setting `doubtful_predictions`
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from a4_checkpoint_file import Unfit
from a4_checkpoint_submission import CHECKPOINTS, Checkpoint, Checkpoints
from a4_extraction import signs_of_extraction
from a4_places import Scored

from graders.checks.compare import fail
from graders.checks.score import Score
from graders.errors import Misuse
from graders.model import Setting

Rule = Literal["accept", "review", "none"]
RULES: tuple[Rule, ...] = ("accept", "review", "none")
STANDS = "Your points count unless a person decides otherwise."
SUBMIT = "If you still have the checkpoint, submit it: then nobody needs to confirm this."


@dataclass(frozen=True, slots=True)
class Origin:
    """Asks where the predictions of one submission come from."""

    checkpoints: Checkpoints

    def confirm(self, scored: Scored, model: str, part: str, score: Score) -> None:
        """Note, ask a person or fail, as the settings say, unless a checkpoint gives the file."""
        settings = self.checkpoints.settings
        missing, doubtful = (
            rule(settings, name) for name in ("missing_checkpoints", "doubtful_predictions")
        )
        checkpoint = next(each for each in CHECKPOINTS if each.model == model)
        if self.checkpoints.submitted.has(checkpoint.file):
            if doubtful != "accept" and (said := self._contradiction(checkpoint, scored, part)):
                _act(doubtful, said, score)
            return
        said = f"`{checkpoint.file}` is missing, so nothing shows which model predicted this."
        if missing == "none":
            _act(missing, said, score)
        if doubtful != "accept" and (
            signs := signs_of_extraction(scored, self.checkpoints.data, part)
        ):
            # A pattern is evidence, never proof: it takes no points.
            _act("review", f"{said} {' '.join(signs)}", score)
        elif missing == "review":
            _act(missing, said, score)

    def _contradiction(self, checkpoint: Checkpoint, scored: Scored, part: str) -> str:
        """Say why the checkpoint does not vouch for the predictions; nothing where it does."""
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
    """Return what the assignment says follows; raise Misuse for anything else."""
    value = settings[name]
    if value not in RULES:
        known = ", ".join(f"`{each}`" for each in RULES)
        raise Misuse(f"assignment.toml: `settings.{name}` is {value!r}; choose from {known}")
    return cast(Rule, value)


def _act(rule: Rule, said: str, score: Score) -> None:
    if rule == "none":
        fail(f"{said} Predictions earn no points without their model.", hint=SUBMIT)
    score.confirm(f"{said} {STANDS}", hint=SUBMIT)
