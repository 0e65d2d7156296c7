"""Handlers of clients' messages: each calls a use case, whose result is the answer."""
