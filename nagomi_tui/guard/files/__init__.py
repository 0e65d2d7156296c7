"""The guarded project on disk: where it is, its state, and its configuration."""
