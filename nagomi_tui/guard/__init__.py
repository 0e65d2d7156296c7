"""The discussion/implementation guard: what an agent may do before the user has agreed.

Its rules are in `decide`: for tools in `tools.py`, for prompts in `prompt.py`, what it says in `texts.py`. Which
commands only read is told by `nagomi_tui/shell/programs/`; `config/guard/` has texts for agents and no rules.
"""
