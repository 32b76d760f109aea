"""Not in the student bundle, because these checks import `reference`."""
