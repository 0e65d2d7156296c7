"""`nagomi judge`, `trace` and `why`: how sessions are judged, and by which rules."""
