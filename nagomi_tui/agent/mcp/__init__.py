"""The MCP server: gives other agents tools for sessions and for nagomi's own agent."""
