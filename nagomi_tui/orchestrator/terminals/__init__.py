"""The terminal of each session: fed, read, and kept for a rebuild."""
