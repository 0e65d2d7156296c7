PRAGMA auto_vacuum = 0;
PRAGMA user_version = 0;
CREATE TABLE corrections (
    at REAL NOT NULL,
    session_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    record BLOB NOT NULL
) STRICT;
INSERT INTO corrections VALUES (1770000095.5, '0b7f4a52-6d0e-4c6e-9a55-1f6d3f0c2a11', 7, CAST('{"at":1770000095.5,"session_id":"0b7f4a52-6d0e-4c6e-9a55-1f6d3f0c2a11","turn":7,"cmd":"make all","shown":"failure","right":"success","rule":"exit","confidence":0.75,"grounds":[{"source":"exit","says":"failed","age":1.5,"rule":"exit","text":"137"}],"known":[{"source":"exit","says":"failed","age":1.5,"rule":"exit","text":"137"},{"source":"screen","says":"waits","age":1.5,"rule":"exit","text":"137"}],"lines":["$ make all","3 tests failed."],"trace":"/tmp/build.cast","trace_at":12.25}' AS BLOB));
