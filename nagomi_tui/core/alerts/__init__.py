"""What calls the user and how, as rules."""
