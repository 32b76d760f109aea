"""Sentences of the Penn Treebank's form, put back into the form that encoders have read.

SST-2 (Socher et al. 2013) is tokenised: `it does n't work -lrb- for me -rrb- .` An encoder knows
`doesn't` and brackets, so they are joined before its own tokenizer cuts them in its own way.
"""

JOINED = (
    *(("`` ", '"'), (" ''", '"'), ("-lrb- ", "("), (" -rrb-", ")")),
    *((" n't", "n't"), ("can not", "cannot"), (" '", "'"), (" ,", ","), (" .", ".")),
    *(("\\/", "/"), ("\\*", "*")),
)


def joined(sentence: str) -> str:
    """The sentence with its contractions, brackets and quotes as people write them."""
    for apart, together in JOINED:
        sentence = sentence.replace(apart, together)
    return sentence
