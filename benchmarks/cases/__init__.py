"""What `judge_live` runs: programs and agents, with the truth about them at each moment."""
