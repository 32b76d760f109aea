"""Convert sentences in the format of the Penn Treebank to the text that encoders were trained on.

SST-2 (Socher et al. 2013) is tokenized: `it does n't work -lrb- for me -rrb- .` An encoder knows
`doesn't` and brackets, so tokens are joined before the encoder's own tokenizer splits the text.
"""

JOINED = (
    *(("`` ", '"'), (" ''", '"'), ("-lrb- ", "("), (" -rrb-", ")")),
    *((" n't", "n't"), ("can not", "cannot"), (" '", "'"), (" ,", ","), (" .", ".")),
    *(("\\/", "/"), ("\\*", "*")),
)


def joined(sentence: str) -> str:
    """Return the sentence with contractions, brackets and quotes as people write them."""
    for apart, together in JOINED:
        sentence = sentence.replace(apart, together)
    return sentence
