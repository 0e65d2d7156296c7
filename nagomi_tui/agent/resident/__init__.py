"""The agent's process: its socket, its connection to the orchestrator, its end."""
