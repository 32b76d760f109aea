"""The commands of grade.py: each parses its arguments, calls one function, prints and exits."""
