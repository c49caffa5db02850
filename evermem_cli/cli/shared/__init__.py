"""What all commands rest on: the session, options, output, progress, and the terminal."""
