"""Git worktrees in which agents work: how they are made, seen, merged and taken away."""
