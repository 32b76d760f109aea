"""The experiments: positional tables and ways to fuse heads."""
