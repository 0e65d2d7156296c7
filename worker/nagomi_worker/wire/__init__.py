"""The messages between orchestrator and worker, their framing, and their transport."""
