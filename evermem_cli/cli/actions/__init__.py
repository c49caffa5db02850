"""What commands do beyond looking things up."""
