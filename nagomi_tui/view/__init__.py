"""The Textual front end: it shows what the orchestrator tells and holds no truth of its own."""
