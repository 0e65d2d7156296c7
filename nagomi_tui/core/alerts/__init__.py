"""Rules for what alerts the user, and how: sounds, notices, faces."""
