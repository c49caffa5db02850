"""Commands that read chats."""
