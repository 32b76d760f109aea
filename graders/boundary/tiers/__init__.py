"""Start a child in one of three tiers: bubblewrap, landlock or none; sandbox.py chooses."""
