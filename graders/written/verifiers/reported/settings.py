"""The settings of questions on reported numbers in an assignment's written.toml."""

from fractions import Fraction
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, Field

from graders.errors import UsageError
from graders.tables import check_table
from graders.written.audits.accuracy import Split
from graders.written.audits.reading.columns import Names, further_names
from graders.written.audits.reading.figure import figure_in
from graders.written.audits.reading.texts import CORPORA, SINGLES
from graders.written.question import Machine

RunAward = Literal[
    "runs", "selection", "test", "stated", "possible", "learned", "distinct", "reached"
]
TextAward = Literal["agree", "complete", "variants"]
CurveAward = Literal["length", "columns", "overfits", "final", "stated", "train_epoch", "dev_epoch"]
Settings = TypeVar("Settings", bound=BaseModel)
Points = Annotated[float, Field(gt=0)]


class Columns(BaseModel, extra="forbid"):
    """Settings with alternative names of columns, such as `dev = ["holdout"]`."""

    columns: dict[str, list[str]] = {}

    @property
    def names(self) -> Names:
        """The canonical name of each alternative one."""
        return further_names(self.columns)


class RunSettings(Columns):
    """The settings of `reported_runs`; `points` says what each thing is worth, in any unit.

    `words_from` names the question whose `text` may say which run was chosen.
    """

    points: dict[RunAward, Points] = {"possible": 1.0}
    splits: dict[str, Split] = {}
    grid: dict[str, list[str | int | float]] = {}
    need: list[str] = []
    runs: int = Field(default=1, ge=1)
    subset: int = Field(default=0, ge=0)
    digits: int = Field(default=4, ge=1, le=9)
    thresholds: dict[str, str | float] = {}
    words_from: str = ""

    @property
    def exact_grid(self) -> dict[str, list[Fraction]]:
        """The required values of each setting, exactly as written."""
        return {name: [exact(value) for value in values] for name, values in self.grid.items()}


class TextSettings(BaseModel, extra="forbid"):
    """The settings of `perplexity_table`: the words that name a corpus, and a single text."""

    points: dict[TextAward, Points] = {"agree": 1.0}
    corpora: list[str] = list(CORPORA)
    singles: list[str] = list(SINGLES)
    micro: bool = False
    need: list[str] = []
    variants: int = Field(default=1, ge=1)


class CurveSettings(Columns):
    """The settings of `reported_curve`; `curve_from` names the question that holds the curve."""

    points: dict[CurveAward, Points] = {"length": 1.0}
    epochs: list[int] = []
    need: list[str] = ["train", "dev"]
    stated: list[str] = []
    final: float = Field(default=0.9, ge=0, le=1)
    curve_from: str = ""


def read_settings(kind: type[Settings], machine: Machine) -> Settings:
    """Return the settings of a question; raises UsageError if they are invalid."""
    return check_table(
        machine.settings, kind, f"settings of `{machine.verify}`", "see docs/written.md"
    )


def exact(value: str | float) -> Fraction:
    """Return a number of the settings exactly as written."""
    figure = figure_in(str(value))
    if figure is None:
        raise UsageError(f"`{value}` in the settings of a table is not a number")
    return figure.value
