"""For all seeds, the documents have the properties that the checks need."""

from itertools import combinations, product

import pytest

from graders.assignments.cs224n_a4.span_corruption.texts import BLANK, LONG_BLOCK, Documents
from graders.checks.inputs import PUBLIC, Inputs
from reference.data.edition import SHORTEST, STANFORD_2024, Edition
from reference.data.vocabulary import Vocabulary

EDITIONS = [
    Edition(*values)
    for values in product(("block", "block+1"), ("none", "optional", "required"), ("7/8", "3/4"))
]
DRAWS = [PUBLIC, *range(1, 60)]


def drawn(edition=STANFORD_2024):
    return [Documents(Inputs(draw), edition) for draw in DRAWS]


def read_by(request):
    """The one document that a request reads."""
    (index,) = set(request.indices)
    return request.documents[index]


@pytest.mark.parametrize("edition", EDITIONS, ids=str)
def test_small_blocks_hold_every_cut_and_a_pad(edition):
    for documents in drawn(edition):
        sizes = documents.small_blocks
        assert len(set(sizes)) == 3
        for size in sizes:
            document = read_by(documents.small_block(size))
            assert SHORTEST <= edition.longest(size) < len(document) == len(set(document))
            used = edition.longest(size) + edition.marks
            assert used < edition.sequence_characters(size)


def test_long_documents_are_longer_than_any_cut():
    for documents in drawn():
        for request in (documents.long(), documents.large_block()):
            longest = STANFORD_2024.longest(request.block_size)
            assert all(len(request.documents[i]) > longest for i in request.indices)
        assert documents.large_block().block_size > LONG_BLOCK


def test_letters_of_a_long_document_all_differ():
    for documents in drawn():
        for document in documents.long().documents:
            letters = document.replace(" ", "")
            assert len(set(letters)) == len(letters)


def test_ids_of_every_corpus_fit_into_a_byte():
    for documents in drawn():
        small = documents.small_block(documents.small_blocks[0])
        corpora = (documents.many, documents.thousands, documents.whitespace())
        for request in (documents.long(), *corpora, small, documents.text()):
            assert len(Vocabulary(request.corpus)) <= 256


def test_documents_read_alone_lie_between_others_of_their_length():
    for documents in drawn():
        request = documents.small_block(documents.small_blocks[0])
        before, document, after, _ = request.documents
        assert len(before) == len(document) == len(after)
        assert len({before, document, after}) == 3


def test_many_documents_share_no_character_and_are_not_sorted():
    for documents in drawn():
        request = documents.many
        assert list(request.documents) != sorted(request.documents)
        assert not any(set(a) & set(b) for a, b in combinations(request.documents, 2))
        unread = set(range(len(request.documents))) - set(request.indices)
        assert [request.documents[index] for index in unread] == [BLANK]


def test_thousands_of_documents_are_read_at_every_magnitude():
    for documents in drawn():
        request = documents.thousands
        assert max(request.indices) == len(request.documents) - 1
        assert sum(index >= 1_000 for index in request.indices) >= 10
        assert min(request.indices) < 50


def test_documents_have_runs_of_whitespace():
    for documents in drawn():
        document = documents.whitespace().documents[1]
        assert " ".join(document.split()) not in document


def test_short_documents_are_shorter_than_the_longest_cut():
    for documents in drawn():
        sizes = [len(document) for document in documents.short]
        assert sizes == sorted(sizes)
        assert sizes[0] == SHORTEST
        assert sizes[-1] < STANFORD_2024.longest(LONG_BLOCK)
        assert all(document == document.strip() for document in documents.short)


def test_other_draws_give_other_documents():
    for ask in (
        lambda d: d.long(),
        lambda d: d.many,
        lambda d: d.short,
        lambda d: d.small_block(d.small_blocks[0]),
        lambda d: d.tiny(),
    ):
        assert len({ask(documents) for documents in drawn()}) == len(DRAWS)
