"""Write Results as pages, tables and files for other systems.

Start with `submission_files.py`, the files of one submission, and `course/files.py`, those of a
course.
"""
