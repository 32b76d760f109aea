"""Limit and measure what a child uses; start with cgroup.py, in which the kernel counts."""
