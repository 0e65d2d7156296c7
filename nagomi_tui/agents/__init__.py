"""All that is known of each coding agent: its programs, hooks, and how it resumes.

What its screen means is in `config/agents/`, a file of rules for each; `registry.py` names all agents here.
The agent that nagomi has itself is in `nagomi_tui/agent/`.
"""
