"""What is known of people: their histories, profiles and relations."""
