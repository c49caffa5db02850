"""The workflows that repair memory: remember, correct, assign to the owner, and undo."""
