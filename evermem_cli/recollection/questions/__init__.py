"""Questions: the only part of recollection that looks at the words of a question.

All other parts use the values read here.
"""
