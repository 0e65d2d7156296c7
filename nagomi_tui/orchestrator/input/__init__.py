"""What is typed, pasted, sent and answered, on its way to a session."""
