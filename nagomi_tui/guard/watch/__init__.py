"""Notices what changes in a project while nothing may: its tree, compared with what it was."""
