"""Sounds, speech, toasts of the desktop and a user's own command, all in processes of their own.

Players were seen to hang for half a minute, to crash and to print on the screen; in a child that
is given its orders by lines of JSON and a deadline for each, none of that matters.
"""
