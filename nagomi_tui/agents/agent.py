"""The facts that make up one agent; `docs/agents.md` tells how one is added.

Every command names the agents in its help, so these are plain tuples: they load nothing.
"""

from __future__ import annotations

from typing import NamedTuple


class Hooks(NamedTuple):
    """Where an agent keeps its hooks, and which of its events nagomi reads."""

    home_variable: str
    """The variable by which the user moves the folder of the agent's settings."""
    home: str
    """That folder where the variable is not set, below the user's home."""
    file: str
    """The file with the user's hooks, below that folder: JSON with an object `hooks`."""
    project_file: str
    """The file with the hooks of a project, below the project's folder."""
    events: tuple[str, ...]
    """The events that the judge reads, as `nagomi_tui/judge/senses/hooks.py` does."""
    form: str = "groups"
    """How they stand there: `groups` of JSON as Claude Code has them, a whole `file` of nagomi's own,
    or some `lines` of a file of settings."""
    text: str = ""
    """The whole file, or the lines: `@json:EVENT@` and `@shell:EVENT@` stand for the command as a
    text in JSON, and as it is; without EVENT the agent tells the event's name itself."""
    one_each: bool = False
    """Whether each event has a file of its own, called as the event, below `file`; it is run."""
    taken: str = ""
    """Of `lines`: regex for a line that does the same already."""
    timeout: int = 5
    """After so long it gives a hook up, in the agent's unit; a hook gives itself up long before."""
    called: tuple[tuple[str, str], ...] = ()
    """What its events are called that Claude Code calls otherwise: its name, and Claude Code's."""
    asks_trust: bool = False
    """Whether the agent runs new hooks only after the user has said at its start to trust them."""


class McpServers(NamedTuple):
    """Where an agent keeps the MCP servers that it starts: by name, in a table of a file."""

    home_variable: str
    """The variable by which the user moves the folder of the file."""
    home: str
    """That folder where the variable is not set, below the user's home."""
    file: str
    """The user's file below that folder: TOML if it is named so, else JSON."""
    table: str
    """The table or object that holds the servers."""
    project_file: str = ""
    """The file of a project, below the project's folder; nothing where there is none."""
    env_vars: str = ""
    """The key that names variables which a server gets; nothing where it gets all."""


class Guarded(NamedTuple):
    """What the guard has to know of an agent."""

    folder: str
    """The folder of the agent's settings in a project, by which a project is known."""
    protected: tuple[str, ...]
    """Files below a project or the user's home that switch the guard on."""
    project_variable: str = ""
    """The variable by which it tells its hooks the project's folder."""
    plans: str = ""
    """The folder of its plans, below that of the user's settings; it writes them in discussion."""
    at_home: tuple[str, ...] = ()
    """Files in the user's folder that are protected, too."""
    user_programs: tuple[str, ...] = ()
    """What else below the folder of the user's settings has programs run, or tells agents what to do.

    Folders that may be missing end with a slash.
    """
    own_programs: tuple[str, ...] = ()
    """Folders there of which each process of it runs what it has put there itself.

    A strict session has empty ones of its own: what it writes there is run by no other agent.
    """
    settings: str = ""
    """The file of a project's hooks, below `folder`; that of the user's has the same name."""
    start_option: str = ""
    """The option by which one start of it is given hooks: `--settings` with a file of JSON, or `-c`."""
    start_words: tuple[str, ...] = ()
    """What it is started with besides, so that its hooks run in its session."""
    reads_above: bool = False
    """Whether it reads a project's hooks in the folders above its own, too, up to the repository's.

    Otherwise it reads only those of the folder that it is started in.
    """
    in_shell: bool = False
    """Whether a hook is a line for the user's login shell, whose files may print before it.

    Otherwise it is a program with its arguments, and what it prints is all that there is.
    """
    writers: tuple[tuple[str, str], ...] = ()
    """Its tools that write one file, each with the name under which it is given the path."""
    patchers: tuple[str, ...] = ()
    """Its tools whose `command` is a patch, in which files are named."""
    other_names: tuple[tuple[str, str], ...] = ()
    """Its tools that the guard knows by another name, each with that."""
    variables: tuple[tuple[str, str], ...] = ()
    """What it is started with, so that it has todos at all, each with its value (F-9)."""
    planner: str = ""
    """Its tool that sets a list of steps, where it has no todos."""
    types_unasked: bool = False
    """Whether it can type into a command that runs, of which it asks no hook."""
    other_shells: tuple[str, ...] = ()
    """Shells besides bash and zsh that it can have a command run by, of which it tells no hook."""
    least: str = ""
    """The oldest version with which the guard was tried."""
    more_settings: tuple[str, ...] = ()
    """Other files of settings in the same folders, which it reads, too."""
    managed: tuple[str, ...] = ()
    """Files of settings of the machine's administrator."""
    off_switches: tuple[tuple[str, bool], ...] = ()
    """Settings, each with the value that keeps hooks from running; `a.b` is `b` in `a`."""
    off_variables: tuple[str, ...] = ()
    """Variables that do the same."""
    trust: tuple[str, str, str | bool] | None = None
    """Where it keeps which folders are trusted: a file in the folder of the user's settings, and under
    `projects` and the folder's path a key with its value."""
    hook_trust: bool = False
    """Whether that file names each file of hooks whose hooks are trusted."""
    subagents: str = ""
    """The folder of texts for its subagents in a project."""
    status_line: str = ""
    """The key of its settings under which a command prints its status line."""
    slash_commands: str = ""
    """The folder of slash commands, below that of the settings."""
    ended_hooks: tuple[str, ...] = ()
    """Files below a project that may still run the hooks of cc-sessions, which was made for it."""


class Resume(NamedTuple):
    """How a command line of the agent becomes one that goes on with a conversation.

    Options are those that the agent's help lists, in the version that the tests use.
    """

    words: tuple[str, ...]
    """What stands behind the program's name to resume."""
    id_last: bool = False
    """Whether the conversation's id stands behind all options, and not right behind `words`."""
    one: frozenset[str] = frozenset()
    """Options that take the next word."""
    many: frozenset[str] = frozenset()
    """Options that take every word up to the next option."""
    optional: frozenset[str] = frozenset()
    """Options that take the next word if it is no option."""
    dropped: frozenset[str] = frozenset()
    """Options that choose or feed a conversation, and go with their words."""
    elsewhere: frozenset[str] = frozenset()
    """Options and commands with which there is no conversation to go on with here."""


class Agent(NamedTuple):
    """A coding agent. What is absent, nagomi does not know of it."""

    name: str
    """The name of its program, of its rules in `config/agents`, and in hooks and sessions."""
    title: str
    """What its makers call it."""
    hooks: Hooks | None = None
    mcp: McpServers | None = None
    guarded: Guarded | None = None
    resume: Resume | None = None
    first_message: tuple[str, ...] | None = None
    """Words before the first message in its command line: none where that is its last argument."""
    child_marks: tuple[str, ...] = ()
    """Variables by which it tells its children that they are; a session is no child of it.

    Settings of the user's, which often begin with the same words, are none.
    """
    pool: str = ""
    """The folder, without its dot, below which it makes worktrees, if not its name or its settings'."""
    in_doctor: bool = False
    """Whether `nagomi doctor` names it where it is not installed, too."""
