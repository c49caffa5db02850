"""Reading: a small encoder, trained on labelled messages, finds what a message states and about whom.

`tests/training` holds the messages, the label guide and the command that makes the weights.
"""
