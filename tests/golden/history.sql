PRAGMA auto_vacuum = 2;
PRAGMA user_version = 1;
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    session_id TEXT UNIQUE NOT NULL,
    name TEXT NOT NULL,
    story BLOB NOT NULL
) STRICT;
INSERT INTO sessions VALUES (1, '0b7f4a52-6d0e-4c6e-9a55-1f6d3f0c2a11', 'build', CAST('{"run":1770000000.5,"next_line":12,"state":{"block":0,"strange":0,"counted":false,"ahead":{"kind":"table","indent":0,"table":{"columns":[1],"sure":[true],"count":3,"mark":"  ","ruled":true}},"cut":null,"before":{"text":"NAME        PASSWORD        AGE","edge":31,"joined":false,"indent":0}},"tail":["$ make all -j8","3 tests failed.","NAME        PASSWORD        AGE","$"],"open":1,"screen":false}' AS BLOB));
INSERT INTO sessions VALUES (2, '5f1e9a3c-2b44-4d0a-8a8e-7c0f4f6f9b22', '和み', CAST('{"run":1770000001.5,"next_line":4,"state":{"block":4000,"strange":0,"counted":false,"ahead":null,"cut":null,"before":{"text":"-----BEGIN RSA PRIVATE KEY-----","edge":31,"joined":false,"indent":0}},"tail":["日本語の行","-----BEGIN RSA PRIVATE KEY-----"],"open":0,"screen":false}' AS BLOB));
CREATE TABLE lines (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    at REAL NOT NULL,
    gap INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;
INSERT INTO lines VALUES (1, 1, 1770000050.5, 9, '');
INSERT INTO lines VALUES (2, 1, 1770000050.5, 0, '$ make all -j8');
INSERT INTO lines VALUES (3, 1, 1770000050.5, 0, '3 tests failed.');
INSERT INTO lines VALUES (4, 1, 1770000050.5, 0, 'NAME        PASSWORD        AGE');
INSERT INTO lines VALUES (5, 1, 1770000050.5, 0, '$');
INSERT INTO lines VALUES (6, 2, 1770172800.5, 0, '日本語の行');
INSERT INTO lines VALUES (7, 2, 1770172800.5, 0, '-----BEGIN RSA PRIVATE KEY-----');
CREATE INDEX lines_of ON lines (session);
CREATE TABLE turns (
    session INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    started REAL,
    ended REAL NOT NULL,
    verdict BLOB NOT NULL
) STRICT;
INSERT INTO turns VALUES (1, 7, 1770000001.5, 1770000090.5, CAST('{"state":"failure","confidence":0.75,"summary":"3 tests failed.","evidence":["exit code 1"],"next_actions":[{"title":"Run it again","command":"make test","risk":"mid"}]}' AS BLOB));
CREATE INDEX turns_of ON turns (session);
CREATE TABLE screens (
    session INTEGER PRIMARY KEY,
    run REAL NOT NULL,
    at REAL NOT NULL,
    text TEXT NOT NULL
) STRICT;
INSERT INTO screens VALUES (2, 1770000001.5, 1770172800.5, '~
:w');
CREATE TABLE clock (seen REAL NOT NULL, doubted REAL) STRICT;
INSERT INTO clock VALUES (1770172800.5, NULL);
CREATE TABLE shelves (
    shelf INTEGER PRIMARY KEY, first INTEGER NOT NULL, begun REAL NOT NULL
) STRICT;
INSERT INTO shelves VALUES (1, 1, 1770000050.5);
INSERT INTO shelves VALUES (2, 6, 1770172800.5);
CREATE VIRTUAL TABLE words_1 USING fts5(
    text, content='', tokenize='trigram', detail='none', columnsize=0
);
CREATE VIRTUAL TABLE words_2 USING fts5(
    text, content='', tokenize='trigram', detail='none', columnsize=0
);
INSERT INTO words_1 (rowid, text) SELECT id, text FROM lines WHERE text <> '' AND id >= (SELECT first FROM shelves WHERE shelf = 1) AND id < (SELECT coalesce(max(first), 1 << 62) FROM shelves WHERE shelf = 1 + 1);
INSERT INTO words_2 (rowid, text) SELECT id, text FROM lines WHERE text <> '' AND id >= (SELECT first FROM shelves WHERE shelf = 2) AND id < (SELECT coalesce(max(first), 1 << 62) FROM shelves WHERE shelf = 2 + 1);
