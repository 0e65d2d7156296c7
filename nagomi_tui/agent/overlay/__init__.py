"""The work overlay: /work and /normal, the directive, and the turns that are left of it."""
