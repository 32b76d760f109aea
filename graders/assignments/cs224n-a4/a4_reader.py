"""Asks the student's process for draws, once for each request, and lets rules judge them."""

from collections.abc import Mapping, MutableMapping

from a4_corruption import Rule, complete, shown
from a4_corruption_mistakes import Known, named
from a4_corruption_texts import Documents
from a4_draws import Reading, Request, parse
from hypothesis import given, seed
from hypothesis import settings as examples
from hypothesis import strategies as st

from graders.boundary.student import Student
from graders.checks.compare import fail
from graders.checks.inputs import Inputs
from graders.model import Setting
from reference.edition import Edition

Kept = MutableMapping[Request, Reading]
EXAMPLES = 8  # of hypothesis, beside the readings that every rule judges


class Reader:
    """Reads documents through the student's dataset; what was read once is kept."""

    def __init__(
        self, student: Student, settings: Mapping[str, Setting], inputs: Inputs, kept: Kept
    ) -> None:
        self._student = student
        self._inputs = inputs
        self._kept = kept
        self.edition = edition_of(settings)
        self.documents = Documents(inputs, self.edition)

    def attempt(self, request: Request) -> Reading:
        """What the request gave, be it nothing that can be judged."""
        if request not in self._kept:
            self._kept[request] = self._ask(request, batch=0)
        return self._kept[request]

    def more(self, request: Request, batch: int) -> Reading:
        """Further draws for a request, other ones for every batch; they are not kept."""
        return self._ask(request, batch)

    def read(self, request: Request) -> Reading:
        """What the request gave, when it gave items."""
        reading = self.attempt(request)
        if not reading.draws:
            fail(
                f"No item could be read at block size {request.block_size}, so this cannot be "
                "judged.",
                actual=shown(reading.raised or ", ".join(reading.kinds)),
            )
        return reading

    def long(self) -> Reading:
        """Many draws at the handout's block size."""
        return self.read(self.documents.long())

    def readings(self) -> list[Reading]:
        """Documents longer than any cut, at several block sizes."""
        sizes = self.documents.small_blocks
        small = [self.read(self.documents.small_block(size)) for size in sizes]
        return [*small, self.long(), self.read(self.documents.large_block())]

    def telling(self) -> Reading:
        """The largest of the small blocks, at which cuts differ in length."""
        return self.read(self.documents.small_block(self.documents.small_blocks[-1]))

    def require_complete(self) -> None:
        """Fail where sequences lack or repeat characters, so that lengths say nothing."""
        if not complete(self.telling()):
            fail(
                "Characters of the document are missing or stand twice in the sequences, so the "
                "lengths cannot be judged.",
                hint="First let prefix + content + suffix be a piece of the document.",
            )

    def judge(
        self, rule: Rule, known: Known, hint: str, *requests: st.SearchStrategy[Request]
    ) -> None:
        """Fail where a rule is broken, if possible with the smallest document that shows it."""

        @seed(self._inputs.seed("examples", rule.__name__))
        @examples(max_examples=EXAMPLES)
        @given(request=st.one_of(requests))
        def holds(request: Request) -> None:
            self.judge_reading(self.read(request), rule, known, hint)

        if requests:
            holds()
        for reading in self.readings():
            self.judge_reading(reading, rule, known, hint)

    def judge_reading(self, reading: Reading, rule: Rule, known: Known, hint: str) -> None:
        """Fail with this reading's counterexample, and the mistake's name if it is known."""
        problem = rule(reading)
        if problem is None:
            return
        # A block size at which cuts differ in length tells mistakes apart that look alike at 8.
        telling = self.telling()
        evidence = [reading] if rule(telling) is None else [reading, telling]
        mistake = named(known, *evidence)
        fail(
            problem.message,
            hint=hint if mistake is None else mistake.hint,
            expected=problem.expected,
            actual=problem.actual,
            counterexample=problem.table(reading),
        )

    def _ask(self, request: Request, batch: int) -> Reading:
        reply = self._student.call(
            "draw_corruptions",
            corpus=request.corpus,
            block_size=request.block_size,
            indices=list(request.indices),
            rounds=request.rounds,
            # Every request its own draws: one seed for all would repeat the same few.
            seed=self._inputs.seed("readings", request, batch),
        )
        return parse(reply, request, self.edition)


def edition_of(settings: Mapping[str, Setting]) -> Edition:
    """The edition that an assignment's settings describe."""
    names = ("sequence_length", "end_marker", "length_limit")
    return Edition(**{name: settings[name] for name in names if name in settings})  # type: ignore[arg-type]
