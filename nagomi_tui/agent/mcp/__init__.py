"""The MCP server: sessions and the agent as tools of another agent."""
