"""Keys after the leader: the shipped ones, the user's file, and the menu.

A key command begins in `actions.py`; what it does is in `nagomi_tui/view/actions/`.
"""
