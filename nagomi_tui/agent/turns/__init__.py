"""Turns: a user's message, requests to the model, tool calls, and the answer, stored on disk."""
