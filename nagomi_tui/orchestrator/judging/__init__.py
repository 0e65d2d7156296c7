"""The judge of each session, what hooks and models say, corrections and traces."""
