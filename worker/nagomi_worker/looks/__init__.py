"""What the orchestrator asks of the machine itself: what it is, and which folders it has."""
