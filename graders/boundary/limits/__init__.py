"""What a child may use of the machine, and what it used; cgroup.py where the kernel counts."""
