"""The second door to memory: the functions of the command line as tools of a Model Context Protocol server."""
