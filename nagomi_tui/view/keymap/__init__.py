"""Which key does what: the shipped keys, the user's file, the menu."""
