"""Takes in transcripts: ids derived from content, what is new, and a report per input."""
