"""What a course's data says about people: remove one person, or give everybody another name.

Start with `forgetting.py`, which finds what a results folder has of a student. `pseudonyms.py`
replaces names in texts and in students' code for `export research`.
"""
