"""Calls for the user: sounds, notices, and events of programs such as bells and titles."""
