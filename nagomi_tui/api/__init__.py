"""The orchestrator's front-end socket: its messages, a client, and how to start the resident."""
