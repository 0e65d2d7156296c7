"""Tells from output, processes and hooks whether a turn has ended, and how.

Where it is wrong: the rules for an agent's screen are in `config/agents/`, those for lines in
`config/judge/`; `resolver.py` weighs all evidence in order, by `agent_rules.py` and `program_rules.py`.
"""
