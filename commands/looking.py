"""Show what is there: stored Results, and what this machine offers."""

from pathlib import Path
from typing import Annotated

import typer

from commands.options import Data, Out
from graders.doctor import examine
from graders.results import read_store
from reports import store_terminal, terminal


def show(
    submission: Annotated[str, typer.Argument(help="Its id; without it all are listed.")] = "",
    out: Out = Path("out"),
    generation: Annotated[int, typer.Option(help="Its number.", show_default="published")] = 0,
) -> None:
    """Show what the store holds: generations, their scores, one Result."""
    with read_store(out) as store:
        chosen = store.generation(generation)
        if submission:
            terminal.show_result(store.member_result(chosen.number, submission))
        else:
            store_terminal.show_generations(store.generations(), chosen.number)
            terminal.show_scores(store.results(chosen.number))


def doctor(data: Data = None) -> None:
    """Show what this machine offers: sandbox, torch, device, data."""
    symptoms = examine(data)
    terminal.show_rows((each.name, each.found, each.good) for each in symptoms)
    ready = next(each.good for each in symptoms if each.name == "isolation")
    raise typer.Exit(0 if ready else 1)
