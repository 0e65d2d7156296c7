"""The discussion/implementation guard: what an agent may do before the user has agreed."""
