"""Input on its way to a session: typed, pasted, sent as text, or answers to questions."""
