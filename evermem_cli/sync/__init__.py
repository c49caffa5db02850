"""The workflow by which memories on several machines give each other what they lack, through files in a plain folder.

What a memory holds is a set of things: chats, messages, corrections, tiers, merges, names of the owner. Of each thing
that anybody has changed or taken away, a mark says how often; of two marks the higher one stands. So machines agree in
whatever order they meet, and however often. Each writes one file of its own, and reads those of the others.
"""
