"""What each action of the user does; its name, keys and words are in `nagomi_tui/view/keymap/actions.py`."""
