"""What reaches the terminal: the standard streams, and text that is safe to print."""
