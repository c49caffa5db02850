"""The output of commands: each result as a JSON document and as a screen."""
