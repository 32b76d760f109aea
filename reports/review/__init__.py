"""Serve the local pages for staff: students, adjustments, requests, and manual grading.

Start with `web/app.py`, which maps every address to a function. `web/staff_actions.py` stores what
staff do about a student, and `web/actions.py` what they decide about answers. `adjusting.py`,
`commenting.py`, `requests.py` and `kinds.py` are also behind the commands. `outputs.py` writes the
files in DIR after each action.
"""
