"""Read typed answers as values: a choice, true or false, a number, a vector or a matrix."""
