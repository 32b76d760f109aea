"""Turn an upload into a clean folder. Nothing here imports what it unpacks."""
