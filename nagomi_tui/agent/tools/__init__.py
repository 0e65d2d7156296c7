"""The model's tools: some only read, the others act, and only with the user's consent."""
