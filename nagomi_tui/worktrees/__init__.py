"""Git worktrees in which agents work: how they are made, seen, merged and taken away."""

from nagomi_tui.worktrees.git import Fault
from nagomi_tui.worktrees.repository import Base, base_of

__all__ = ["Base", "Fault", "base_of"]
