"""Parse typed answers into values: a choice, true or false, a number, a vector or a matrix."""
