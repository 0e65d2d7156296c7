"""Sessions: their output is read in turn, kept in a ring, and sent as the peer acknowledges it."""
