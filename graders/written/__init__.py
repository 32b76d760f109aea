"""Written answers: read from a file, judged by mathematics where that is possible."""
