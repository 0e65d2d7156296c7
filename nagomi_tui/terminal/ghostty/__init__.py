"""The engine on libghostty-vt."""
