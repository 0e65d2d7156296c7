"""Models behind one interface: Anthropic Messages and OpenAI-compatible chat completions."""
