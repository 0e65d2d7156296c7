"""What programs of a session on a hand find of nagomi: a socket, two programs, and variables."""
