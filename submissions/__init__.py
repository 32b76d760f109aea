"""From an upload to a clean folder; nothing here imports what it unpacks."""
