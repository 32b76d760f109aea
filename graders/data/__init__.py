"""Read the course's data that submissions are graded with, or use the built-in data instead.

Start with `course.py`, which opens the data of any kind. `birthplaces.py` reads the files of the
GPT assignments, `labelled.py` those of the classifiers.
"""
