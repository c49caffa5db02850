"""Questions: the only part of recollection that looks at the words of a question; all others take what it reads."""
