"""Puts nagomi's hooks, and `nagomi mcp`, into the settings of agents, and takes them back."""
