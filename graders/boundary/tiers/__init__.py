"""The three ways to start a child: bubblewrap, Landlock, or none; sandbox.py chooses."""
