"""What every part of the orchestrator stands on: timers, buffers of sockets, refusals, the log."""
