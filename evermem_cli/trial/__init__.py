"""What a language model can do, tried on a few shipped items, and who does what by that: the model or code."""
