"""The review: what has changed, with comments, discarding and committing."""
