"""The resident agent: one knows the workplace, can be asked, remembers, and acts only when allowed."""
