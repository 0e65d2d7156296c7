"""One turn: a user's line in, requests and tools, the answer out and on disk."""
