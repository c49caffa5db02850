"""Chat apps between people: a module per app and form of export."""
