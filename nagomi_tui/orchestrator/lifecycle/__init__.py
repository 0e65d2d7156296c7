"""Use cases that begin, end and change sessions, and how sessions are taken over from workers."""
