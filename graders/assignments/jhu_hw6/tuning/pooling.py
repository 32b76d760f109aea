"""Find the ways to pool, and to insert a prefix, that give the student's logits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graders.boundary.student import Student
from graders.checks.compare import is_close
from graders.errors import GraderFault

from ..replies import Floats, floats
from .questions import Forward, Question

Ways = Mapping[str, Mapping[str, Floats]]  # how the backbone is called -> how it is pooled

POOLED = "Classify the mean of last_hidden_state over all tokens"
MEANS = ("mean", "masked mean", "mean of the text", "masked mean of the text")
ACCEPTED = (*MEANS, *(f"log softmax of {mean}" for mean in MEANS))  # equivalent for cross entropy
SOFTMAX = (
    "forward returns probabilities; return logits, as cross entropy applies the softmax itself"
)
SHRUNK = "sum by length"
POOLINGS = {
    "first": "Only the first token ([CLS]) is classified",
    "first of the text": "Only the first token of the text ([CLS]) is classified",
    "last": "Only the last token is classified",
    "sum": "The hidden states are summed but not divided by their number",
    SHRUNK: "The sum over the text is divided by the length with padding",
    "max": "The maximum of each feature is classified instead of the mean",
    "pooler": "pooler_output is classified, which is computed only from [CLS]",
    **{f"softmax of {mean}": SOFTMAX for mean in MEANS},
}


@dataclass(frozen=True, slots=True)
class Way:
    """A way to call the backbone, and a way to pool its hidden states."""

    called: str
    pooled: str


def ways(sandbox: Student, question: Question) -> Ways:
    """Return the logits of every known way."""
    function = "pooled_logits" if "prefix" not in question.weights else "prefix_logits"
    reply = sandbox.call(
        function,
        family=question.family,
        weights=dict(question.weights),
        batch=dict(question.batch),
    )
    if not isinstance(reply, dict):
        raise GraderFault("the oracle gave no logits")
    return {
        called: {
            pooled: logits
            for pooled, values in (pools if isinstance(pools, dict) else {}).items()
            if (logits := floats(values)) is not None
        }
        for called, pools in reply.items()
    }


def ways_of(reply: Forward, candidates: Ways) -> Sequence[Way]:
    """Return all ways that give these logits, the correct one first."""
    order = (*ACCEPTED, *POOLINGS)
    return [
        Way(called, pooled)
        for called, pools in candidates.items()
        for pooled in order
        if pooled in pools and is_close(reply.logits, pools[pooled], "attention")
    ]
