"""The verifiers that an assignment's written.toml can name."""

from graders.written.question import Verifier
from graders.written.verifiers.attention.average import average_query
from graders.written.verifiers.attention.four_vectors import key_query_value
from graders.written.verifiers.attention.heads import two_queries
from graders.written.verifiers.attention.projection import projection
from graders.written.verifiers.attention.weights import attention_weights
from graders.written.verifiers.choice import choice, choices, true_false
from graders.written.verifiers.complexity import complexity
from graders.written.verifiers.identity import identity
from graders.written.verifiers.parts import later
from graders.written.verifiers.reported.curve import reported_curve
from graders.written.verifiers.reported.perplexities import perplexity_table
from graders.written.verifiers.reported.runs import reported_runs
from graders.written.verifiers.values.shape import tensor_shape
from graders.written.verifiers.values.value import matrix, number, vector

VERIFIERS: dict[str, Verifier] = {
    "attention_weights": attention_weights,
    "average_query": average_query,
    "choice": choice,
    "choices": choices,
    "complexity": complexity,
    "identity": identity,
    "key_query_value": key_query_value,
    "later": later,
    "matrix": matrix,
    "number": number,
    "perplexity_table": perplexity_table,
    "projection": projection,
    "reported_curve": reported_curve,
    "reported_runs": reported_runs,
    "tensor_shape": tensor_shape,
    "true_false": true_false,
    "two_queries": two_queries,
    "vector": vector,
}
