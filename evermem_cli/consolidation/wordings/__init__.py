"""Word lists: which wordings assert something of the speaker, and how they are matched."""
