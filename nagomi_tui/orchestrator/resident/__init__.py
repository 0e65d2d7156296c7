"""The resident process: its parts put together, its settings, its heartbeat, its supervisor."""
