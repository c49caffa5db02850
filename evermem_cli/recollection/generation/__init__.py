"""Generation: the requests to the model, the form of its answers, and the messages that support them."""
