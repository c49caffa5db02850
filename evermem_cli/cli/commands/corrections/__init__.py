"""Commands that correct memory."""
