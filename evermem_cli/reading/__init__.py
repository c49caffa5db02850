"""Reading: what a message says and of whom, found by a small encoder that has learned it from labelled messages.

`tests/training` holds the messages, the label guide and the command that makes the weights.
"""
