"""The course's data that submissions are graded with, and the embedded data used in their place.

Start with `course.py`, which opens the data of any kind. `birthplaces.py` reads the files of the
GPT assignments, `labelled.py` those of the classifiers.
"""
