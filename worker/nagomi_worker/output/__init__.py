"""What sessions print: read in turn, kept in a ring, sent as far as the peer can take it."""
