"""All that a security review must read: the only rooms where student code meets ours."""
