"""Learning from work with an assistant: what was wanted, done and thought of it, and the rules that follow."""
