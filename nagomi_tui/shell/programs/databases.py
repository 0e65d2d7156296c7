"""Clients of databases, which only read where their SQL or their command only asks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from nagomi_tui.shell import options
from nagomi_tui.shell.folders import Asked
from nagomi_tui.shell.options import Analyser, Check, Options
from nagomi_tui.shell.words import Word, Writes, named

_PRAGMA: Final = re.compile(
    r"\s*pragma\s+(?:table_list|table_info|table_xinfo|index_list|index_info|index_xinfo|foreign_key_list|foreign_key_check|"
    r"integrity_check|quick_check)(?:\s*\(\s*['\"]?\w+['\"]?\s*\))?\s*;?\s*"
    r"|\s*pragma\s+(?:database_list|compile_options|function_list|collation_list|user_version|schema_version|page_count|"
    r"page_size|freelist_count|encoding|journal_mode|foreign_keys|application_id|auto_vacuum|cache_size|synchronous)\s*;?\s*",
    re.IGNORECASE,
)
"""What SQLite says of a database; others of these, and such with `=` or a value in brackets, change it."""
_DOT: Final = re.compile(r"\.(?:tables|schema|indexes|indices|databases|fullschema)(?: [\w%]+)?")


def _sqlite3(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check SQL for SQLite.

    It makes a database that is not there, rolls back what another program has left unfinished, and
    keeps files beside one with a write-ahead log, even if that is told to only read. So the database
    is looked at; where that cannot be, it has to be told to only read.
    """
    given = options.check(
        name,
        words,
        Options("-readonly -header -noheader -column -csv -json -line -list -markdown -box -table -separator=* -nullvalue=* "
                "-version --version -batch -safe --readonly", single_dash=True),
    )  # fmt: skip
    if given.has("-version", "--version"):
        return
    if len(given.operands) < 2:
        raise Writes("sqlite3 does what it is told on its input", head.at)
    database, *scripts = given.operands
    if not (analysis.patterns.looks or given.has("-readonly", "--readonly")):
        raise Writes("sqlite3 that is not told to only read (-readonly)", head.at)
    if not database.known or not database.single or database.text.startswith("file:"):
        raise Writes("a database that is not known", database.at)
    analysis.where.asked.append(Asked(name, "sqlite", database.text, database.at))
    for word in scripts:
        if not (word.known and word.single):
            raise Writes("SQL that is not known to only read", word.at)
        if word.text.startswith("."):
            if not _DOT.fullmatch(word.text.rstrip()):
                raise Writes("a command of sqlite3 that is not known", word.at)
        elif not _PRAGMA.fullmatch(word.text):
            if re.search(r"^\s*[.#/]", word.text, re.MULTILINE):
                raise Writes("a command of sqlite3 that is not known", word.at)
            _check_sql(word, asks=_ASKS_SQLITE)


_FUNCTIONS: Final = named(
    "abs array_agg avg cast ceil char_length coalesce concat count current_database current_schema database date "
    "date_format date_trunc extract floor greatest group_concat hour ifnull json_agg left length least lower max min "
    "month now nullif pg_database_size pg_relation_size pg_size_pretty pg_table_size pg_total_relation_size right "
    "round row_number string_agg substr substring sum to_char trim upper user version year "
    "char decimal numeric varchar "
    "typeof printf json_extract json_each json_tree json_array_length json_object json_group_array json_type json instr strftime "
    "datetime time julianday unixepoch total hex quote like glob unicode sqlite_version iif likely unlikely generate_series sign "
    "pragma_table_info pragma_table_list pragma_index_list pragma_index_info pragma_foreign_key_list ltrim rtrim values"
)
"""Functions and types of SQL servers that only compute."""
_BEFORE_BRACKET: Final = named(
    "all and any as by exists filter from having in join not on or over select then using when where"
)
_ASKS: Final = re.compile(
    r"\s*(?:select|show|table|explain|describe|desc)\b[^;\\]*;?\s*", re.IGNORECASE
)
_ASKS_SQLITE: Final = re.compile(r"\s*(?:select|with|values|explain)\b[^;]*;?\s*", re.IGNORECASE)
_DOES: Final = re.compile(
    r"\b(?:into|insert|update|delete|drop|create|alter|replace|truncate|merge|analy[sz]e|call|do|execute|lock)\b"
    r"|--|/\*|#",
    re.IGNORECASE,
)
_META: Final = re.compile(r"\\(?:d[A-Za-z]{0,4}|l|z|sf|sv)\+?(?:\s+[\w.*\"?]+)?\s*")
"""Commands of `psql` that list and describe."""


_CONNECTION: Final = re.compile(
    r"[\w.@-]*|postgres(?:ql)?://[\w.~:@/,%\[\]\0-]*(?:\?(?:sslmode|connect_timeout|application_name)=[\w.-]+"
    r"(?:&(?:sslmode|connect_timeout|application_name)=[\w.-]+)*)?"
    r"|(?:\s*(?:host|hostaddr|port|dbname|user|password|sslmode|connect_timeout|application_name)\s*=\s*[\w./@\0\1-]+)*\s*"
)
"""A database's name or address that sets nothing by which the server loads a library."""


def _connects(words: Iterable[Word]) -> None:
    """Refuse what may say more than where a PostgreSQL server is.

    Raises:
        Writes: it may set options of the server.
    """
    for word in words:
        is_own = "\0" not in word.text or word.own or word.text.startswith("http://")
        text = word.text.replace("http://\0", "postgres://\0")
        if not (is_own and (text == "\0" or _CONNECTION.fullmatch(text))):
            raise Writes("an address of a database that is not known to only connect", word.at)


def _check_sql(word: Word, asks: re.Pattern[str] = _ASKS) -> None:
    """Refuse SQL that is more than one question, or that calls a function that is not known."""
    text = word.text
    if not word.known or not asks.fullmatch(text) or _DOES.search(text):
        raise Writes("SQL that is not known to only read", word.at)
    if re.search(r"\s\.|\.\s+\w+\s*\(", text) and re.search(r"\.\s*\w+\s*\(", text):
        raise Writes("SQL that may call another one's function", word.at)
    if re.search(r"[)\]]\s*\.(?!\s*\*)", text):
        raise Writes("SQL that may call a function by a column's name", word.at)
    if called := unknown_function(text):
        raise Writes(f"SQL with a function that is not known ({called})", word.at)


def unknown_function(sql: str) -> str:
    """Return a function that SQL calls and that is not known to only compute; empty if there is none."""
    called = re.findall(r"([^\s(),;=<>+*/%|&!~^@?:-]*)\s*\(", sql)
    return next(
        (one for one in called if one and one.lower() not in _FUNCTIONS | _BEFORE_BRACKET), ""
    )


_PSQL: Final = Options(
    "-h= -p= -U= -d= -c= -w -A -t -x -q -X -l --host= --port= --username= --dbname= --command= --no-password "
    "--no-align --tuples-only --expanded --quiet --no-psqlrc --list --csv",
    most=2,
)


def _psql(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    if [word.text for word in words] in (["--version"], ["-V"]):
        return
    given = options.check(name, words, _PSQL)
    _connects([*given.values("-d", "--dbname"), *given.operands])
    scripts = given.values("-c", "--command")
    if not scripts and not given.has("-l", "--list"):
        raise Writes("psql does what it is told on its input", head.at)
    for script in scripts:
        if not (script.known and _META.fullmatch(script.text)):
            _check_sql(script)


_MYSQL: Final = Options(
    "-h= -P= -u= -D= -e= -S= -p? -N -B -t -s -E --host= --port= --user= --database= --execute= --socket= --password? "
    "--skip-column-names --batch --table --silent --vertical",
    most=1,
)


def _mysql(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check SQL in one line, since the client takes some words at a line's beginning for itself.

    A password stands in the word of its option.
    """
    if [word.text for word in words] in (["--version"], ["-V"]):
        return
    rest = [word for word in words if word.splits or not re.fullmatch("-p.+", word.text)]
    scripts = options.check(name, rest, _MYSQL).values("-e", "--execute")
    if not scripts:
        raise Writes(f"{name} does what it is told on its input", head.at)
    for script in scripts:
        if "\n" in script.text:
            raise Writes("SQL of several lines", script.at)
        text = script.text.strip().removesuffix("\\G")
        if not (script.known and _SHOWS.fullmatch(text)):
            _check_sql(script._replace(text=text))


_SHOWS: Final = re.compile(
    r"show\s+create\s+(?:table|view|database|schema|procedure|function|trigger|event)\s+[\w.`]+\s*;?",
    re.IGNORECASE,
)


_DUMP: Final = Options(
    "-s -a -t= -n= -T= -N= -h= -p= -U= -d= -F= -O -x -w --schema-only --data-only --table= --schema= --exclude-table= "
    "--exclude-schema= --host= --port= --username= --dbname= --format= --no-owner --no-privileges --no-password "
    "--version --help --inserts --if-exists --clean",
    most=1,
)


def _pg_dump(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, _DUMP)
    _connects([*given.values("-d", "--dbname"), *given.operands])


_READY: Final = Options(
    "-[qV] -[dhptU]= --dbname= --host= --port= --timeout= --username= --quiet --version --help",
    most=0,
)


def _pg_isready(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    _connects(options.check(name, words, _READY).values("-d", "--dbname"))


_REDIS: Final = Options(
    "-h= -p= -a= -n= -u= -s= -t= --user= --pass= --no-auth-warning --raw --no-raw --csv --json --tls --scan --pattern= "
    "--count= --type= --bigkeys --memkeys --hotkeys --stat --latency --version -v --help",
)
_REDIS_READS: Final = named(
    "bitcount dbsize echo exists expiretime get getbit getrange hexists hget hgetall hkeys hlen hmget hscan hstrlen "
    "hvals info keys lastsave lindex llen lpos lrange mget ping pttl randomkey role scan scard sismember smembers "
    "smismember srandmember sscan strlen time ttl type xinfo xlen xrange xrevrange zcard zcount zmscore zrange "
    "zrangebyscore zrank zrevrange zrevrangebyscore zrevrank zscan zscore"
)
_REDIS_PAIRS: Final = frozenset(
    {
        ("acl", "list"), ("acl", "whoami"), ("client", "info"), ("client", "list"), ("cluster", "info"),
        ("cluster", "nodes"), ("cluster", "slots"), ("command", "count"), ("config", "get"), ("latency", "history"),
        ("latency", "latest"), ("memory", "doctor"), ("memory", "stats"), ("memory", "usage"), ("object", "encoding"),
        ("object", "freq"), ("object", "idletime"), ("pubsub", "channels"), ("slowlog", "get"), ("slowlog", "len"),
    }
)  # fmt: skip


def _redis(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check a command of Redis behind the options; without one, it is read from the input."""
    given = options.check(name, words, _REDIS, stops=True)
    said = [word.text.lower() for word in given.operands[:2]]
    if not said and given.has("--scan", "--bigkeys", "--memkeys", "--hotkeys", "--stat", "--latency",
                              "--version", "-v", "--help"):  # fmt: skip
        return
    if said[:1] and (said[0] in _REDIS_READS or tuple(said) in _REDIS_PAIRS):
        return
    raise Writes(f"{' '.join([name, *said])} is not known to only read", head.at)


CHECKS: Final[dict[str, Check]] = {
    "sqlite3": _sqlite3, "psql": _psql, "pg_dump": _pg_dump, "pg_isready": _pg_isready, "redis-cli": _redis,
    **dict.fromkeys(("mysql", "mariadb"), _mysql),
}  # fmt: skip
