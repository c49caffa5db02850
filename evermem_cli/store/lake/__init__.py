"""A memory that several machines share: what they tell each other, as a log in a DuckLake."""
