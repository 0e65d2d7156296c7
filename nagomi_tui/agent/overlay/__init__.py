"""The work overlay: /work and /normal, its directive, and the number of turns it still lasts."""
