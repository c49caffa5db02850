"""Files of mail programs: mails, one or many per file, and calendars."""
