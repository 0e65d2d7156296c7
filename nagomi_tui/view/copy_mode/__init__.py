"""Copy mode: a cursor that moves, searches, selects and copies."""
