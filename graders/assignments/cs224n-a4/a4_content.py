"""How long the masked content of a student's dataset is, over as many draws as a verdict needs."""

from a4_corruption import order_of_parts
from a4_corruption_texts import MORE_ROUNDS
from a4_draws import STANDARD, Order, Reading
from a4_lengths import Decision, Lengths, content_is_a_quarter
from a4_part_mistakes import content_is_last, gap_fits
from a4_reader import Reader

from graders.checks.compare import fail

BATCHES = 10  # of 7,800 draws: only means within 0.004 of a boundary go so far


def content_lengths(reader: Reader) -> Lengths:
    """The lengths in many draws at block size 128; fails where parts cannot be told apart."""
    reading = reader.long()
    return Lengths.of(reading.parted, _order(reading))


def mean_is_a_quarter(reader: Reader) -> tuple[Decision, Lengths]:
    """The verdict on the mean, and the lengths it rests on."""
    lengths = content_lengths(reader)
    order = _order(reader.long())
    for batch in range(1, BATCHES + 1):
        decision = content_is_a_quarter(lengths, final=False)
        if decision != "unclear":
            return decision, lengths
        more = reader.more(reader.documents.long(MORE_ROUNDS), batch)
        lengths = lengths.joined(Lengths.of(more.parted, order))
    return content_is_a_quarter(lengths, final=True), lengths


def _order(reading: Reading) -> Order:
    """The slots of prefix, content and suffix, also where their characters are not as asked."""
    most = 2 * len(reading.parted) >= len(reading.draws)
    order = order_of_parts(reading) if most else None
    if most and order is None and (gap_fits(reading) or content_is_last(reading)):
        order = STANDARD
    if order is None:
        fail(
            "Prefix, content and suffix cannot be told apart, so the content's length cannot be "
            "judged.",
            hint="First let prefix + content + suffix be a piece of the document.",
        )
    return order
