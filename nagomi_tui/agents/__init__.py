"""All that is known of each coding agent: its programs, rules, hooks, and how it resumes."""
