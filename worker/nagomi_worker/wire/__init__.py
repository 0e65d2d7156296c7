"""The messages between orchestrator and worker, and the ways they travel."""
