"""The resident process: composition of its parts, settings, heartbeat, and its supervisor's parts."""
