"""The Textual application, its parts, and how they are put together."""
