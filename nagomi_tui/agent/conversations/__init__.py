"""Conversations on disk: JSON Lines that are appended to and replayed, their index and their locks.

`store.Conversations` is the entrance. For an agent there are, in FOLDER/.sessions/agents/AGENT_ID/:

    sessions.json            index: labels, times, counts, summary, overlay; made again if need be
    sessions/ID.jsonl        transcript, of four kinds of records; only ever added to
    sessions/ID.meta.jsonl   what is known beside it: compactions, failed turns, changes of the index

Locks and the pids of who holds them lie beside these, in files that begin with a dot.
"""
