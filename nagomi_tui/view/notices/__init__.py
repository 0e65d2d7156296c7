"""What calls the user in the front end, and sentences that stay for a while."""
