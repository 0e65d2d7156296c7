"""The link to the orchestrator, and the thread that serves it and the terminal."""
