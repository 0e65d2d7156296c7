"""What every part of the orchestrator uses: timers, socket buffers, refusals, databases, the log."""
