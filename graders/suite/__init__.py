"""An existing gradescope-utils suite as an assignment: the less trusted kind of checks."""
