"""Remove one student from a results folder, or replace everyone's names by pseudonyms.

Start with `forgetting.py`, which finds everything about a student. `pseudonyms.py` replaces names
in texts and in students' code for `export research`.
"""
