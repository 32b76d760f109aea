"""Define what an audit of an assignment's checks finds: plain values that reports can show."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a correct submission; `id` is stable while the changed lines are.

    `base` is the submission that was changed, `definition` the function or class of the change.
    """

    id: str
    operator: str
    base: str
    file: str
    definition: str
    diff: str


@dataclass(frozen=True, slots=True)
class Rate:
    """How many mutants of a criterion or an operator were killed, with a 95% interval."""

    name: str
    killed: int
    of: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that kept all points; `advice` are the criteria without points that noticed it.

    `record` is its verdict in audit.toml, or "". `suspicion` is between 0 and 1.
    """

    change: Change
    suspicion: float
    criteria: tuple[str, ...]
    advice: tuple[str, ...]
    record: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class KilledMutant:
    """A mutant that lost points: how many in each criterion, and the mistakes that hints named."""

    change: Change
    lost: Mapping[str, float]
    mistakes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mutations:
    """The results of the mutants: `possible` ones, those `planned`, and those `graded` in time.

    `named` counts the killed mutants for which a hint named a mistake, `disagreeing` lists where
    hints disagree, and `stale` are the records in audit.toml that match no survivor.
    """

    possible: int
    planned: int
    graded: int
    by_criterion: tuple[Rate, ...]
    by_operator: tuple[Rate, ...]
    survivors: tuple[Survivor, ...]
    killed: tuple[KilledMutant, ...]
    named: int
    disagreeing: tuple[str, ...]
    stale: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LostRewrite:
    """A rewrite with the same meaning that lost points, and the checks that failed."""

    change: Change
    lost: Mapping[str, float]
    checks: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rewrites:
    """The rewrites that were graded, and those among them that lost points."""

    planned: int
    graded: int
    lost: tuple[LostRewrite, ...]


@dataclass(frozen=True, slots=True)
class Null:
    """A submission without any work: the share of each criterion that it earned."""

    name: str
    earned: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Nulls:
    """The null submissions; `most` is the share of a criterion that one may earn."""

    planned: int
    most: float
    graded: tuple[Null, ...]

    @property
    def above(self) -> list[tuple[str, str, float]]:
        """Return each null submission, criterion and share above the limit."""
        return [
            (each.name, criterion, share)
            for each in self.graded
            for criterion, share in each.earned.items()
            if share > self.most + 1e-9
        ]


@dataclass(frozen=True, slots=True)
class CheckFlips:
    """One check with several secrets.

    `flips` counts the gradings whose verdict differs from the most common one on the same
    submission; `bound` is the exact upper 95% bound of their share.
    """

    check: str
    gradings: int
    flips: int
    bound: float
    submissions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Steadiness:
    """Submissions that were graded several times with different secrets."""

    planned: int
    repeats: int
    submissions: int
    checks: tuple[CheckFlips, ...]

    @property
    def flipping(self) -> list[CheckFlips]:
        """Return the checks whose verdict depended on the secret."""
        return [check for check in self.checks if check.flips]


@dataclass(frozen=True, slots=True)
class AttackRow:
    """One attack of `--attacks`: its name, what happened, and whether it failed, as it should."""

    name: str
    found: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """Everything that one audit found; `faults` says what could not be graded."""

    assignment: str
    title: str
    seed: int
    seconds: float
    mutations: Mutations
    rewrites: Rewrites
    nulls: Nulls
    steadiness: Steadiness
    faults: tuple[str, ...] = ()
    attacks: tuple[AttackRow, ...] = ()

    @property
    def unrecorded(self) -> list[Survivor]:
        """Return the survivors that audit.toml does not record."""
        return [survivor for survivor in self.mutations.survivors if not survivor.record]

    @property
    def clean(self) -> bool:
        """Return whether everything could be graded and the author has nothing to look at."""
        found = (self.unrecorded, self.rewrites.lost, self.nulls.above, self.steadiness.flipping)
        return not self.faults and not any(found) and all(attack.failed for attack in self.attacks)
