"""What commands print: each result as a JSON document and as a screen."""
