"""The commands of grade.py: each parses, calls one function, prints, exits."""
