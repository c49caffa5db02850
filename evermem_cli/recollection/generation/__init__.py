"""Generation: what the model is asked, how its answers are put, and which messages say so."""
