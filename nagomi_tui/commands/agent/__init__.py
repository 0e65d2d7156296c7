"""Subcommands of the resident agent: talking, asking, its mode, its HTTP API and MCP server."""
