"""Tokenized sentences become ordinary text, and others are not changed."""

import pytest

from reference.data.treebank import joined


@pytest.mark.parametrize(
    ("apart", "together"),
    [
        ("it does n't work -lrb- for me -rrb- .", "it doesn't work (for me)."),
        ("the director 's `` best '' film , they said", 'the director\'s "best" film, they said'),
        ("we 've seen 1\\/2 of a b \\* movie", "we've seen 1/2 of a b * movie"),
        ("you can not look away", "you cannot look away"),
        ("a fine film", "a fine film"),
    ],
)
def test_sentence_reads_as_people_write(apart, together):
    assert joined(apart) == together


def test_joining_twice_changes_nothing_more():
    once = joined("he 's -- well , `` nuanced '' -lrb- and n't dull -rrb- ...")
    assert joined(once) == once
