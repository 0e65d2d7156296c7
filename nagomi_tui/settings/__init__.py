"""What a user can set: the model, and reading and writing its file."""
