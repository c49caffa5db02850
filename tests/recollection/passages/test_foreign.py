"""Words that are nobody's are no evidence of what is true of the asker."""
