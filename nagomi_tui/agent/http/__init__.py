"""The HTTP API on loopback and on a Unix socket."""
