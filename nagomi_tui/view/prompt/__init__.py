"""The prompt of the chat view: its editor, its history, what it completes, and open questions."""
