"""Decide whether a submission's predictions come from its models; if unclear, ask a person.

no checkpoint ----------------------------- setting `missing_checkpoints`
no checkpoint, and unlike any model ------- setting `doubtful_predictions`
a checkpoint that gives the predictions --- accepted
a checkpoint that does not ---------------- setting `doubtful_predictions`

A small GPT remembers the corpus imprecisely: if it is wrong, it answers with a place of the
training file that is unrelated to the person's document. A program that searches the corpus does
the opposite: it copies what the document says, including places that no training question has, and
if it finds nothing, it falls back on one answer.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from graders.checks.compare import fail
from graders.checks.labels import chance_at_least
from graders.checks.score import Score
from graders.data.birthplaces import WIKI, Data, read_lines

from ..checkpoints.submitted import CHECKPOINTS, Checkpoint, Checkpoints
from ..checkpoints.weights import Finding
from .places import Scored
from .submitted import QUESTIONS, choice

RULES = ("accept", "review", "none")
STANDS = "Your points count unless the course staff decides otherwise."
SUBMIT = "If you still have the checkpoint, submit it; then no manual review is needed."
ASKED = re.compile(r"Where was (.*) born\?")
# Bounds with a margin above what models gave, see docs/cs224n-a4.md; one level per sign.
LEVEL = 0.001
MOST_UNSEEN = Fraction(5, 100)
MOST_TOLD = Fraction(1, 3)
MOST_SURE = Fraction(1, 2)
FALLBACK = Fraction(3, 10)


@dataclass(frozen=True, slots=True)
class Origin:
    """Checks where the predictions of one submission come from."""

    checkpoints: Checkpoints

    def confirm(self, scored: Scored, model: str, part: str, score: Score) -> None:
        """Note, request review or fail, as the settings say, unless a checkpoint gives the file."""
        settings = self.checkpoints.files.settings
        missing = choice(settings, "missing_checkpoints", RULES)
        doubtful = choice(settings, "doubtful_predictions", RULES)
        checkpoint = next(checkpoint for checkpoint in CHECKPOINTS if checkpoint.model == model)
        if self.checkpoints.files.submitted.has(checkpoint.file):
            if doubtful != "accept" and (reason := self._contradiction(checkpoint, scored, part)):
                _act(doubtful, reason, score)
            return
        reason = f"`{checkpoint.file}` is missing, so we cannot verify which model predicted this."
        if missing == "none":
            _act(missing, reason, score)
        if doubtful != "accept" and (
            signs := signs_of_extraction(scored, self.checkpoints.files.data, part)
        ):
            # A pattern is evidence, not proof, so it never deducts points.
            _act("review", f"{reason} {' '.join(signs)}", score)
        elif missing == "review":
            _act(missing, reason, score)

    def _contradiction(self, checkpoint: Checkpoint, scored: Scored, part: str) -> str:
        """Return why the checkpoint does not confirm the predictions; nothing if it does."""
        weights = self.checkpoints.read(checkpoint)
        if isinstance(weights, Finding):
            return weights.reason
        if (misfit := self.checkpoints.misfit(weights, checkpoint)) is not None:
            return misfit.reason
        comparison = self.checkpoints.comparison(weights, checkpoint, part, scored.predictions)
        if self.checkpoints.confirms(comparison) or self.checkpoints.rotation(
            weights, checkpoint, comparison
        ):
            return ""
        return f"The weights in `{checkpoint.file}` agree with only {comparison.in_words}."


def _act(rule: str, reason: str, score: Score) -> None:
    if rule == "none":
        fail(f"{reason} Predictions earn no points without their model.", hint=SUBMIT)
    score.confirm(f"{reason} {STANDS}", hint=SUBMIT)


def signs_of_extraction(scored: Scored, data: Data, part: str) -> tuple[str, ...]:
    """Return a sentence for each way in which the file is unlike what models answer."""
    corpus, questions = (read_lines(data.folder / file, "") for file in (WIKI, QUESTIONS[part]))
    documents = _documents(tuple(corpus), tuple(questions))
    if len(documents) != scored.n:
        return ()
    return tuple(_signs(scored, data, documents))


def _signs(scored: Scored, data: Data, documents: tuple[str, ...]) -> Iterator[str]:
    answers = [line.strip() for line in scored.predictions]
    tells = [_tells(text, place) for text, place in zip(documents, answers, strict=True)]
    places = set(data.train)
    unseen = sum(t and place not in places for t, place in zip(tells, answers, strict=True))
    if _beyond(unseen, scored.n, MOST_UNSEEN):
        yield (
            f"{unseen} of {scored.n} answers appear verbatim in the person's document but are not "
            "places of the training file. A model doesn't spell places that it was never "
            "trained to answer."
        )
    usual, count = Counter(answers).most_common(1)[0]
    rest = [i for i, place in enumerate(answers) if place != usual]
    wrong = [i for i in rest if scored.predictions[i] != scored.gold[i]]
    right = len(rest) - len(wrong)
    if count >= FALLBACK * scored.n and _beyond(right, len(rest), MOST_SURE):
        yield (
            f"{count} of {scored.n} lines say {usual[:40]!r}, and {right} of the other "
            f"{len(rest)} are correct. But a model does not know which of its answers are wrong."
        )
    copied = sum(tells[i] for i in wrong)
    if _beyond(copied, len(wrong), MOST_TOLD):
        yield (
            f"{copied} of {len(wrong)} wrong answers appear verbatim in the person's document. "
            "A model's mistakes are other places."
        )


def _beyond(k: int, n: int, share: Fraction) -> bool:
    """Return True if k of n is improbable for a true share of `share`."""
    return n > 0 and chance_at_least(k, n, share) < LEVEL


def _tells(document: str, place: str) -> bool:
    """Return True if a document contains these words."""
    return bool(place) and bool(re.search(rf"(?<!\w){re.escape(place)}(?!\w)", document))


@lru_cache(maxsize=2)  # the dev and the test part
def _documents(corpus: tuple[str, ...], questions: tuple[str, ...]) -> tuple[str, ...]:
    """Return the corpus text about each question's person; nothing for an unknown name."""
    matches = (ASKED.search(line) for line in questions)
    names = [match[1] if match else "" for match in matches]
    return tuple("\n".join(line for line in corpus if name and name in line) for name in names)
