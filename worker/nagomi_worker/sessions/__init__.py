"""Sessions: what they print is read in turn, kept in a ring, and sent as far as the peer takes it."""
