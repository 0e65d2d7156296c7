"""The tasks of a guarded project: files below `sessions/tasks`, and what git has checked out."""
