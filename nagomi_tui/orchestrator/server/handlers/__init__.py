"""What each message of a client does: it is handed to a use case, whose result is the answer."""
