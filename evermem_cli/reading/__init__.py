"""The small models that ship with evermem: what a message states, what a question asks for, what a text is about.

`tests/training` holds the messages, the label guide and the command that makes the weights.
"""
