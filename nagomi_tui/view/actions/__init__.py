"""What each action of the user does."""
