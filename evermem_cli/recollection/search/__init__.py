"""Search: candidates by keyword and meaning, their ranking, and a closer look at the best."""
