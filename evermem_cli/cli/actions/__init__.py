"""What commands do beyond looking up, step by step."""
