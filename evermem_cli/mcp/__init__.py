"""The server of the Model Context Protocol: the functions of the command line as tools for assistants."""
