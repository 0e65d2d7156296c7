"""Calls as toasts and notices of the terminal, and sentences that stay for a while."""
