"""Help the reviewer: group similar answers, and suggest rubric items.

    page ── await sort, suggest ── one thread ── encoder        other pages do not wait
         └─ groups, suggestions: those computed so far

The sentence encoder takes a second for a long answer, so suggestions are computed ahead.
"""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from graders.course.review import Answer
from graders.written.free_text.proposals import propose
from graders.written.free_text.similarity import Encoder, TfIdf, best_encoder, groups
from graders.written.question import Review

PERHAPS_FROM = 0.25  # below this, a suggestion is noise
Answers = Mapping[str, Answer]
Groups = list[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A rubric item, counted from 1, and the sentence that supports or contradicts it."""

    item: int
    against: bool
    likely: bool
    confidence: float
    sentence: str
    start: int
    end: int


class Help:
    """Groups and suggestions, each computed once."""

    def __init__(self, encoder: Callable[[], Encoder] = best_encoder) -> None:
        self._make_encoder = encoder
        self._encoder: Encoder | None = None
        self._worker = ThreadPoolExecutor(1, "help")
        self._groups: dict[str, tuple[Answers, asyncio.Future[Groups]]] = {}
        self._suggested: dict[tuple[Review, str], asyncio.Future[list[Suggestion]]] = {}

    def close(self) -> None:
        """Cancel all pending computations."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    def load(self) -> None:
        """Start to load the encoder, which takes many seconds, before a question is opened."""
        self._worker.submit(self._ready)

    async def sort(self, question: str, answers: Answers) -> None:
        """Group the answers to a question, unless they are already grouped."""
        cached = self._groups.get(question)
        if cached is None or cached[0] is not answers:
            texts = {handle: answer.text for handle, answer in answers.items()}
            loop = asyncio.get_running_loop()
            cached = answers, loop.run_in_executor(self._worker, self._sorted, texts)
            self._groups[question] = cached
        await cached[1]

    def groups(self, question: str, answers: Answers) -> Groups:
        """Return groups of similar answers (handles), largest first.

        Until they are sorted, every group has a single answer.
        """
        cached = self._groups.get(question)
        if cached is None or cached[0] is not answers or not cached[1].done():
            return [(handle,) for handle in answers]
        return cached[1].result()

    def read_ahead(self, rubric: Review, answer: Answer) -> asyncio.Future[list[Suggestion]]:
        """Start to compute the suggestions for an answer, unless that has already started."""
        key = rubric, answer.sum
        if key not in self._suggested:
            loop = asyncio.get_running_loop()
            work = loop.run_in_executor(self._worker, self._proposed, rubric, answer.text)
            self._suggested[key] = work
        return self._suggested[key]

    def suggestions(self, rubric: Review, answer: Answer) -> list[Suggestion]:
        """Return the suggestions for an answer that are computed so far."""
        work = self._suggested.get((rubric, answer.sum))
        return work.result() if work is not None and work.done() else []

    def _sorted(self, texts: Mapping[str, str]) -> Groups:
        return [group.members for group in groups(texts, encoder=self._ready())]

    def _proposed(self, rubric: Review, text: str) -> list[Suggestion]:
        return proposed(rubric, text, self._ready())

    def _ready(self) -> Encoder:
        """Return the encoder, which is loaded once; only the worker thread calls this."""
        if self._encoder is None:
            try:
                self._encoder = self._make_encoder()
            except Exception:  # noqa: BLE001  the extra only helps: a broken one closes no page
                self._encoder = TfIdf()
        return self._encoder


def proposed(rubric: Review, text: str, encoder: Encoder) -> list[Suggestion]:
    """Return the machine's suggestions, item by item; a person decides."""
    suggestions = []
    for proposal in propose(rubric, text, encoder=encoder):
        passages = [(True, against.passage) for against in proposal.contradictions]
        if proposal.support is not None and proposal.confidence >= PERHAPS_FROM:
            passages.append((False, proposal.support))
        suggestions += [
            Suggestion(
                item=proposal.item + 1,
                against=against,
                likely=proposal.ticked,
                confidence=proposal.confidence,
                sentence=passage.text,
                start=passage.start,
                end=passage.end,
            )
            for against, passage in passages
        ]
    return suggestions
