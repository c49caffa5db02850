"""Mail: a file of one or of many."""
