"""The sync workflow: memories on several machines exchange what they lack, through files in a plain folder.

A memory holds a set of things: chats, messages, corrections, tiers, merges, and names of the owner. Each thing that
anybody has changed or removed has a mark, which counts its changes; of two marks the higher one wins. So machines come
to the same result in whatever order and however often they sync. Each machine writes one file of its own, the bundle,
and reads those of the others.
"""
