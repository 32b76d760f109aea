"""How long the masked content is, over as many draws as a verdict needs."""

from a4_corruption import first, not_a_piece
from a4_corruption_texts import MORE_ROUNDS
from a4_lengths import Decision, Lengths, content_is_a_quarter, content_pairs
from a4_located import lengths_of
from a4_reader import Reader

from graders.checks.compare import fail

SPARSE_BATCHES = 2
BATCHES = 10  # of 7,800 draws: only means within 0.004 of a boundary go so far
# Pairs of draws of one document and one cut length; more are drawn where most readings raise. Of
# two equally likely lengths, fewer than 25 % of 200 pairs differ with 1e-9, of 100 with 1e-6.
ENOUGH, LEAST = 200, 100
FEW = 10  # different pairs of cut and content: fewer say nothing about a mean


def content_lengths(reader: Reader) -> Lengths:
    """The lengths in many draws at block size 128; fails where they cannot be told."""
    lengths = lengths_of(reader.long())
    if lengths is None:
        fail(
            "Prefix, content and suffix cannot be told apart, so the length of the content cannot "
            "be judged.",
            hint=fix_pieces(reader),
        )
    for batch in range(1, SPARSE_BATCHES + 1):
        if content_pairs(lengths)[0] >= ENOUGH:
            break
        more = lengths_of(reader.more_long(MORE_ROUNDS, batch))
        lengths = lengths if more is None else lengths.joined(more)
    if content_pairs(lengths)[0] < LEAST:
        fail(
            f"Too few items could be read to judge the length of the content: {len(lengths.cut)}.",
            hint="Fix this first: `__getitem__` must not raise." if reader.long().raised else "",
        )
    return lengths


def fix_pieces(reader: Reader) -> str:
    """The hint to fix the parts first, where they are wrong."""
    if first(not_a_piece, reader.long()) is None:
        return ""
    return "Fix this first: prefix + content + suffix must be a contiguous piece of the document."


def mean_is_a_quarter(reader: Reader) -> tuple[Decision, Lengths]:
    """The verdict on the mean, and the lengths it rests on."""
    lengths = content_lengths(reader)
    if len({*zip(lengths.cut.tolist(), lengths.content.tolist(), strict=True)}) < FEW:
        fail(
            "The items of a document hardly differ, so the average length of the content cannot "
            "be judged.",
            hint="Fix this first: the cut and the masked part must be random.",
        )
    for batch in range(1, BATCHES + 1):
        decision = content_is_a_quarter(lengths, final=False)
        if decision != "unclear":
            return decision, lengths
        more = lengths_of(reader.more_long(MORE_ROUNDS, batch))
        lengths = lengths if more is None else lengths.joined(more)
    return content_is_a_quarter(lengths, final=True), lengths
