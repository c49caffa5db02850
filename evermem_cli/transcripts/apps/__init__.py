"""Chat apps: one module per app and form of export."""
