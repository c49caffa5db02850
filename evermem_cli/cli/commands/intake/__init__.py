"""Commands that take chats in."""
