"""What all commands share: the session, options, output, progress, and the terminal."""
