"""Conversations on disk: transcripts in JSON Lines, their index and their locks.

Begin with `store.Conversations`. An agent's files are, in FOLDER/.sessions/agents/AGENT_ID/:

    sessions.json            index: labels, times, counts, summary, overlay; rebuilt if broken
    sessions/ID.jsonl        transcript with four kinds of records; append-only
    sessions/ID.meta.jsonl   side-car: compactions, failed turns, changes of the index

Beside each locked file NAME are its lock, `.NAME.lock`, and the holder's pid, `.NAME.pid`.
"""
