"""Output on its way from a worker into a session's terminal, and what is kept for a rebuild."""
