PRAGMA auto_vacuum = 0;
PRAGMA user_version = 2;
CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY,
    place INTEGER NOT NULL,
    record BLOB NOT NULL
) STRICT;
INSERT INTO sessions VALUES ('0b7f4a52-6d0e-4c6e-9a55-1f6d3f0c2a11', 1, CAST('{"session":{"session_id":"0b7f4a52-6d0e-4c6e-9a55-1f6d3f0c2a11","number":7,"name":"build","cmd":"make all","cwd":"/srv/和み","place":1,"worker_id":"far","character_id":"mame","judge_profile":"claude","agent":"claude","state":"exited","phase":"error","waits":true,"secret":true,"cmd_masked":true,"cols":100,"rows":40,"pid":4713,"exit_code":137,"signal":9,"summary":"3 tests failed.","turn":7,"phase_since":1770000100.5,"title":"make: all","branch":"main","engine":"ghostty-0.1.3","created_at":1770000000.5,"started_at":1770000001.5,"ended_at":1770000090.5,"last_output_at":1770000089.5,"last_input_at":1770000080.5},"env_names":["LANG","PATH"],"seen_at":1770000060.5,"stopped":true,"worker":"w-01234567","conversation":{"agent":"claude","id":"c-1","cwd":"/srv/和み"}}' AS BLOB));
INSERT INTO sessions VALUES ('5f1e9a3c-2b44-4d0a-8a8e-7c0f4f6f9b22', 2, CAST('{"session":{"session_id":"5f1e9a3c-2b44-4d0a-8a8e-7c0f4f6f9b22","number":9,"name":"sh","cmd":"sh","cwd":"/tmp"}}' AS BLOB));
CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
INSERT INTO facts VALUES ('recent', CAST('["make all","claude"]' AS BLOB));
INSERT INTO facts VALUES ('left_at', CAST('1770000070.5' AS BLOB));
INSERT INTO facts VALUES ('last_number', CAST('9' AS BLOB));
INSERT INTO facts VALUES ('muted_until', CAST('1770000600.5' AS BLOB));
