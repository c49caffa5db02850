"""evermem: private, offline memory of your own chats."""

__version__ = "0.1.0"
