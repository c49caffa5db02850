"""Learning from work with assistants: requests, what was done, how the user found it, and the rules that follow."""
