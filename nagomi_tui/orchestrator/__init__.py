"""The orchestrator (場): the resident process that knows every session and decides."""
