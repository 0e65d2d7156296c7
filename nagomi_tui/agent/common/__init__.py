"""Types that all parts of the resident agent share: messages, the clock."""
