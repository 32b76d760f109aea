"""What runs in the child process beside student code; entry.py is the first of it."""
