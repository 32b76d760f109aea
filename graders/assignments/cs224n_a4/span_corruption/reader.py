"""Request draws from the student's process, once per request, and apply rules to them."""

from collections.abc import Mapping, MutableMapping
from dataclasses import replace

from hypothesis import given, seed
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.model import Setting
from reference.data.edition import Edition

from .draws import Draw, Reading, Request, once_per_reading, parse
from .located import located_cuts
from .mistakes import Recognizers, named
from .rules import Rule, first, not_a_piece, shown, wrong_layout
from .texts import MORE_ROUNDS, documents_of

Readings = MutableMapping[Request, Reading]
EXAMPLES = 8  # of hypothesis, in addition to the readings that every rule tests
# A fault in fewer draws than this at realistic block sizes, and not in most draws at any size,
# costs half of its check. In the smallest block, half of the lengths from 0 are too short.
RARE, MOST = 0.05, 0.75
RARELY = 0.5
DIFFERENT = 30  # of 100 draws; with only a random length about 65 differ


class Reader:
    """Reads documents through the student's dataset and caches the readings."""

    def __init__(
        self, student: Student, settings: Mapping[str, Setting], inputs: Inputs, readings: Readings
    ) -> None:
        self._student = student
        self._inputs = inputs
        self._readings = readings
        names = ("sequence_length", "end_marker", "length_limit")
        self.edition = Edition(**{name: settings[name] for name in names if name in settings})  # type: ignore[arg-type]
        self.documents = documents_of(inputs, self.edition)

    def attempt(self, request: Request) -> Reading:
        """Return the reply to a request, even if it contains no usable item."""
        if request not in self._readings:
            self._readings[request] = self.request_more(request, batch=0)
        return self._readings[request]

    def request_more(self, request: Request, batch: int) -> Reading:
        """Return draws for a request, different for each batch; they are not cached."""
        return self._student.call(
            "draw_corruptions",
            corpus=request.corpus,
            block_size=request.block_size,
            indices=list(request.indices),
            rounds=request.rounds,
            fresh=request.fresh,
            # Each request has its own seed: with one seed for all, the same few draws would repeat.
            seed=self._inputs.seed("readings", request, batch),
            read=lambda reply: parse(reply, request, self.edition),
        )

    def read(self, request: Request) -> Reading:
        """Return the reply to a request; fail if no items were returned."""
        reading = self.attempt(request)
        if not reading.draws:
            if reading.raised:
                raise reading.raised
            fail(
                f"No item could be read at block size {request.block_size}, so this cannot be "
                "checked.",
                actual=shown(", ".join(reading.kinds)),
            )
        return reading

    def from_one_dataset(self) -> Reading:
        """Return many draws at the handout's block size, all from one dataset."""
        return self.read(self.documents.long())

    def long(self) -> Reading:
        """Return many draws at the handout's block size.

        They come from a new dataset in every round if one dataset repeats its items or lengths, or
        edits its documents, so that this fault fails only its own check.
        """
        return self.read(self._usual(self.documents.long()))

    def more_long(self, batch: int) -> Reading:
        """Return more draws like those of `long`."""
        return self.request_more(self._usual(self.documents.long(MORE_ROUNDS)), batch)

    def small(self, block_size: int, rounds: int = 0) -> Reading:
        """Return draws at a small block size, made like those of `long`; possibly none.

        If `rounds` is given, return that many more rounds, which are not cached.
        """
        if rounds:
            return self.request_more(
                self._usual(self.documents.small_block(block_size, rounds)), batch=1
            )
        return self.attempt(self._usual(self.documents.small_block(block_size)))

    def large(self) -> Reading:
        """Return draws at a block size above the handout's, made like those of `long`."""
        return self.attempt(self._usual(self.documents.large_block()))

    def readings(self) -> list[Reading]:
        """Return readings of documents longer than any limit, at several block sizes."""
        small = [self.small(size) for size in self.documents.small_blocks]
        return [reading for reading in (*small, self.long(), self.large()) if reading.draws]

    def largest_small_block(self) -> Reading:
        """Return the reading at the largest small block size, where lengths differ."""
        reading = self.small(self.documents.small_blocks[-1])
        return reading if reading.draws else self.long()

    def is_random(self) -> bool:
        """Return whether the items of a document differ, in one dataset or between datasets."""
        return repeated(self.long()) is None

    def cuts_once(self) -> bool:
        """Return whether each document keeps one truncated length until a dataset is made anew."""
        request = self.documents.long()
        anew = replace(request, fresh=True)
        return _one_length_each(self.read(request)) and not _one_length_each(self.read(anew))

    def _usual(self, request: Request) -> Request:
        reading = self.from_one_dataset()
        random = repeated(reading) is None and not self.cuts_once()
        keeps = reading.before == reading.after and random
        return request if keeps else replace(request, fresh=True)

    # ---------------------------------------------------------------- rules

    def judge(
        self,
        rule: Rule,
        recognizers: Recognizers,
        score: Score,
        hint: str,
        *requests: st.SearchStrategy[Request],
    ) -> None:
        """Fail if a rule is broken, if possible with the smallest document that shows it.

        A rare fault costs half of the check.
        """

        @seed(self._inputs.seed("examples", rule.__name__))
        @hypothesis_settings(max_examples=EXAMPLES)
        @given(request=st.one_of(requests))
        def holds(request: Request) -> None:
            reading = self.attempt(request)
            if _can_judge(rule, reading):
                self.judge_reading(reading, rule, recognizers, hint)

        try:
            if requests:
                holds()
            for reading in self._readings_for(rule):
                self.judge_reading(reading, rule, recognizers, hint)
        except CheckFailed as problem:
            self._forgive_rare(rule, problem, score)

    def _readings_for(self, rule: Rule) -> list[Reading]:
        """Return the readings that a rule can test: short documents only if no longer one works.

        For pieces, a document with unusual whitespace is included; for the layout, one in which
        short pieces occur several times.
        """
        more = {not_a_piece: self.documents.whitespace, wrong_layout: self.documents.two_letters}
        extra = [self.attempt(more[rule]())] if rule in more else []
        readings = [reading for reading in (*self.readings(), *extra) if _can_judge(rule, reading)]
        documents = self.documents
        short = (documents.short_document(document) for document in documents.short)
        return readings or [self.read(request) for request in short]

    def judge_index(self, rule: Rule, recognizers: Recognizers, score: Score, hint: str) -> None:
        """Fail if a rule is broken for documents that can be identified by their characters.

        A few documents are read back and forth, and some out of thousands.
        """
        for reading in (self.read(self.documents.many), self.attempt(self.documents.thousands)):
            self.judge_alone(reading, rule, recognizers, score, hint)

    def judge_alone(
        self, reading: Reading, rule: Rule, recognizers: Recognizers, score: Score, hint: str
    ) -> None:
        """Fail if this reading breaks a rule; a rare fault costs half of the points."""
        try:
            self.judge_reading(reading, rule, recognizers, hint)
        except CheckFailed as problem:
            self._forgive_rare(rule, problem, score, reading)

    def judge_reading(
        self, reading: Reading, rule: Rule, recognizers: Recognizers, hint: str
    ) -> None:
        """Fail with this reading's counterexample, and name the mistake if it is known."""
        problem = first(rule, reading)
        if problem is None:
            return
        # Block sizes at which lengths differ can separate mistakes that look alike at 8.
        # Documents with no common characters show where a piece comes from.
        by_itself = reading.request in (self.documents.many, self.documents.thousands)
        other = reading if by_itself else self.largest_small_block()
        evidence = [reading] if first(rule, other) is None else [reading, other]
        mistake = named(recognizers, *evidence)
        problem.fail(reading, hint if mistake is None else mistake.hint)

    def _forgive_rare(
        self, rule: Rule, problem: CheckFailed, score: Score, *readings: Reading
    ) -> None:
        """Give half of the points if a rule is rarely broken at realistic block sizes."""
        training = (self.long(), self.large(), self.attempt(self.documents.text()))
        if not any(_can_judge(rule, reading) for reading in training):
            raise problem
        often = any(_breaks(rule, reading, RARE) for reading in readings or training)
        if often or any(_breaks(rule, reading, MOST) for reading in self.readings()):
            raise problem
        message = (
            f"{problem.message} This happens in fewer than {RARE:.0%} of the readings of ordinary "
            "documents, so only half of the points are deducted."
        )
        score.partial_for(RARELY, replace(problem.explanation, message=message))


def _can_judge(rule: Rule, reading: Reading) -> bool:
    """Return whether a rule can test a reading; some rules need the ends of sequences.

    Documents that are never truncated fill the whole block, so the end of a sequence is missing.
    """
    ends = 2 * sum(draw.whole for draw in reading.written) >= len(reading.written)
    return bool(reading.draws) and (ends or rule not in (wrong_layout, not_a_piece))


@once_per_reading
def repeated(reading: Reading) -> list[Draw] | None:
    """Return the last draws of an index whose items hardly differ, if there is one."""
    for index in sorted({draw.index for draw in reading.draws}):
        # The last ones: by then, a document that is edited on each access is short.
        draws = [draw for draw in reading.draws if draw.index == index][-100:]
        if len({draw.sequence for draw in draws}) < DIFFERENT * len(draws) / 100:
            return draws
    return None


def _one_length_each(reading: Reading) -> bool:
    """Return whether each document always has the same truncated length."""
    lengths = {(cut.draw.index, cut.cut) for cut in located_cuts(reading)}
    return bool(lengths) and len(lengths) == len({index for index, _ in lengths})


def _breaks(rule: Rule, reading: Reading, share: float) -> bool:
    """Return whether significantly more than this fraction of draws break a rule (1e-3)."""
    count, broken = len(reading.draws), sum(1 for _ in rule(reading))
    deviation: float = (share * (1 - share) * count) ** 0.5
    return broken > share * count + 3 * deviation
