"""Keys after the leader: the shipped ones, the user's file, and the menu."""
