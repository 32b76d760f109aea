"""The first code that runs in a child: give up rights, then become the worker.

    python -c "... from graders.boundary.child.entry import main; main()" ORDER

ORDER is JSON: the paths of the files, the seed, the GPU, and what to give up. No student code has
been imported when the worker says hello. A child that a warm parent forks follows the same order,
with torch imported already.
"""

import json
import os
import sys
from typing import Any


def main() -> None:
    """Follow the order on the command line until the parent hangs up."""
    follow(json.loads(sys.argv[1]))


def follow(order: dict[str, Any]) -> None:
    """Give up the rights that the order names, and serve until the parent hangs up."""
    os.environ["CUDA_VISIBLE_DEVICES"] = order.pop("gpu")
    settle = None
    if (give_up := order.pop("narrow")) is not None:
        from graders.boundary.child import narrow  # Linux only

        settle = narrow.give_up(give_up)
        if order["probe"]:
            narrow.check_process_limit()
    if order.pop("probe"):
        return
    from graders.boundary.child.worker import Order, work  # imports torch

    work(Order(**order), settle)
