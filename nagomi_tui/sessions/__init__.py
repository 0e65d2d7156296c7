"""What a session is, how it stands, and in which order sessions are shown."""
