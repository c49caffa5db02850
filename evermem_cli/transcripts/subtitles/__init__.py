"""What is said in meetings and videos, as captions."""
