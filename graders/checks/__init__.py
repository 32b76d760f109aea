"""What the author of a check uses, and how checks are run.

Start with `plugin.py`: its fixtures are the arguments of a check. `score.py` collects what a check
says beside passed or failed, `verdict.py` turns it into a result, `compare.py` has the tolerances.
"""
