"""Output on its way from a worker into a session's terminal, and what is kept for a rebuild.

Screen and scrollback outlive the orchestrator as a checkpoint (`checkpoints.py`) and the output after it, which
the worker keeps (`worker/nagomi_worker/sessions/ring.py`).
"""
