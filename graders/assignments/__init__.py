"""The bundled assignments: one package each, with a sub-package for each criterion.

Open `checks.py` of a criterion first: it says what must be true. See docs/assignments.md.
"""
