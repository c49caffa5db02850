"""What mail programs keep: mails, one or many to a file, and calendars."""
