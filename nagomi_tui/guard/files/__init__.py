"""The guarded project on disk: its folder, its state file and its settings file."""
