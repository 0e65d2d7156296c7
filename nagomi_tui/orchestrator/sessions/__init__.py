"""Sessions as the orchestrator holds them, and their records on disk."""
