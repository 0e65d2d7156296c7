"""What can be asked of nagomi, in one table, from which each way to ask it is made.

A row names a request by its class in `nagomi_tui.api.messages`, which has the types of its fields.
Subcommands, tools of the resident agent and of `nagomi mcp`, HTTP endpoints, and what programs in
strict sessions and on hands may ask, all follow from the row. What needs more than the row says, such
as several sessions at once, has a function or a class of its own under the row's name.

`nagomi --help` reads this table: it imports no message and nothing else that is slow to load.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from nagomi_tui.text.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.api.messages import Request


class Argument(NamedTuple):
    """A field of the request, as it is given to a subcommand."""

    field: str
    help: str
    metavar: str = ""
    option: str = ""
    """Such as `--history` for a switch; empty for a word by its place."""
    many: bool = False
    """Whether one or more words are taken."""


class Tool(NamedTuple):
    """A tool for models; one without a description has a class of its own by this name."""

    name: str
    description: str = ""
    fields: tuple[str, ...] = ("session",)
    """The request's fields that the model gives; the others stay at their defaults."""
    consent: str = ""
    """What the user is asked before; `{number}`, `{name}` are the session's. Empty if it only reads."""
    answer: str = ""
    """What the model is told, with the result's fields; without it, the result as JSON."""
    seconds: float = 10.0


class Route(NamedTuple):
    """A method at a path of the HTTP API; `{session}` stands for the request's session."""

    method: Literal["GET", "POST"]
    path: str
    status: int = 200
    fixed: tuple[tuple[str, Any], ...] = ()
    """Fields of the request that the path implies."""
    names: tuple[tuple[str, str], ...] = ()
    """Fields with another name in the URL."""


class Verb(NamedTuple):
    """One request, and who may make it by which way."""

    request: str
    acts: bool = False
    """Made twice it could do a thing twice, so it is not sent again where no answer came."""
    strict: bool = False
    """Programs inside of strict sessions may make it."""
    hand: bool = False
    """Programs in sessions on hands may make it, of sessions there; of all on a trusted hand."""
    command: str = ""
    help: str = ""
    arguments: tuple[Argument, ...] = ()
    json: bool = False
    """The subcommand has an option to print the result."""
    tool: Tool | None = None
    routes: tuple[Route, ...] = ()


_SESSION: Final = Argument(
    "session",
    translatable("number, name, id or its beginning; `.` is the session this runs in"),
    "SESSION",
)
_ONE: Final = "/api/sessions/{session}"

VERBS: Final = (
    Verb(
        "ListSessions",
        strict=True,
        command="ls",
        help=translatable("list the sessions"),
        tool=Tool("list_sessions"),
        routes=(Route("GET", "/api/sessions"),),
    ),
    Verb("Find", strict=True, routes=(Route("GET", _ONE),)),
    Verb(
        "Capture",
        strict=True,
        hand=True,
        command="capture",
        help=translatable("print the text of a session"),
        routes=(
            Route("GET", f"{_ONE}/screen", fixed=(("history", False),)),
            Route("GET", f"{_ONE}/history", fixed=(("history", True),)),
        ),
    ),
    Verb("Lines", strict=True, tool=Tool("read_session")),
    Verb("Search", strict=True),
    Verb(
        "Wait",
        strict=True,
        hand=True,
        command="wait",
        help=translatable("wait until a session has ended, is quiet, says …, asks, or is done"),
        tool=Tool("wait_for_session"),
    ),
    Verb(
        "SearchHistory",
        strict=True,
        command="history",
        help=translatable("search what all sessions have printed"),
        tool=Tool("search_history"),
        routes=(Route("GET", "/api/history", names=(("text", "q"),)),),
    ),
    Verb(
        "Why",
        strict=True,
        command="why",
        help=translatable("say how a session stands, and what that is read from"),
        arguments=(_SESSION,),
        json=True,
        tool=Tool("why_session"),
        routes=(Route("GET", f"{_ONE}/why"),),
    ),
    Verb("Asks", strict=True),
    Verb(
        "NextWaiting",
        command="next",
        help=translatable("tell which session has waited longest for you"),
        json=True,
        routes=(Route("GET", "/api/next"),),
    ),
    Verb("Print", hand=True),
    Verb(
        "Send",
        acts=True,
        hand=True,
        command="send",
        help=translatable("type text into a session, then Enter"),
        tool=Tool("send_to_session"),
        routes=(Route("POST", f"{_ONE}/input"),),
    ),
    Verb(
        "Keys",
        acts=True,
        hand=True,
        command="keys",
        help=translatable("press keys in a session"),
        arguments=(
            _SESSION,
            Argument("keys", translatable("such as ctrl+c, Enter, up, f5"), "KEY", many=True),
        ),
        tool=Tool("press_keys"),
        routes=(Route("POST", f"{_ONE}/keys"),),
    ),
    Verb(
        "Answer",
        acts=True,
        command="answer",
        help=translatable("answer the question that a session asks"),
        tool=Tool("answer_session"),
        routes=(Route("POST", f"{_ONE}/answer"),),
    ),
    Verb(
        "Create",
        acts=True,
        hand=True,
        command="new",
        help=translatable("start a session"),
        tool=Tool("start_session"),
        routes=(Route("POST", "/api/sessions", status=201),),
    ),
    Verb(
        "Restart",
        acts=True,
        command="restart",
        help=translatable("start a session's command again"),
        tool=Tool("restart_session"),
        routes=(Route("POST", f"{_ONE}/restart"),),
    ),
    Verb(
        "Stop",
        acts=True,
        hand=True,
        command="stop",
        help=translatable("end a session and all that it started"),
        tool=Tool(
            "stop_session",
            "End a session and all that runs in it. The user is asked first.",
            consent=translatable("Stop {number} {name} and all that runs in it"),
            answer=translatable("Session {number} has ended."),
            seconds=30.0,
        ),
        routes=(Route("POST", f"{_ONE}/stop"),),
    ),
    Verb(
        "Rename",
        acts=True,
        command="rename",
        help=translatable("give a session another name"),
        arguments=(_SESSION, Argument("name", translatable("its new name"), "NAME")),
    ),
    Verb(
        "Dress",
        acts=True,
        command="character",
        help=translatable("give a session another character"),
        arguments=(
            _SESSION,
            Argument(
                "character", translatable("its id; `nagomi characters` lists them"), "CHARACTER"
            ),
        ),
    ),
    Verb("KeepSize", acts=True),
    Verb("Reorder", acts=True),
    Verb(
        "Renumber",
        acts=True,
        command="renumber",
        help=translatable("number the sessions 1, 2, 3 … anew, by their order on screen"),
    ),
    Verb(
        "Remove",
        acts=True,
        command="remove",
        help=translatable("take an ended session off the list"),
    ),
    Verb(
        "Act",
        acts=True,
        command="act",
        help=translatable("run one of the next steps that are proposed"),
    ),
    Verb(
        "Correct",
        acts=True,
        command="correct",
        help=translatable("tell how a session really stands"),
    ),
    Verb("AskJudge", acts=True),
    Verb("Trace", acts=True),
    Verb(
        "GuardShow",
        strict=True,
        tool=Tool(
            "guard_show",
            "Tell how the guard of a session's project stands: discussion or implementation, the todos "
            "that its agent proposes, and those that are approved. Only the user approves, in the "
            "workplace: Ctrl+] G.",
        ),
    ),
    Verb(
        "GuardDiff",
        strict=True,
        tool=Tool(
            "guard_diff",
            "Show what has changed in a session's guarded project since its last commit.",
            seconds=30.0,
        ),
    ),
    Verb("GuardNoticed", strict=True),
    Verb("GuardStop", acts=True, strict=True),
    Verb(
        "GuardDiscuss",
        acts=True,
        strict=True,
        tool=Tool(
            "guard_discuss",
            "Put a session's guarded project back into discussion, where its agent may not write. The "
            "user is asked first.",
            consent=translatable("Put {number} {name} back into discussion"),
            answer=translatable("It is in discussion."),
        ),
    ),
    Verb("GuardApprove", acts=True),
    Verb("GuardUndo", acts=True),
    Verb(
        "Remind",
        acts=True,
        command="remind",
        help=translatable("be told something at a time, or when a session fails, asks, is done, …"),
        tool=Tool("remind"),
        routes=(Route("POST", "/api/reminders", status=201),),
    ),
    Verb(
        "ListReminders",
        tool=Tool(
            "list_reminders",
            "List the reminders that are open, and those that were told last, as JSON.",
            fields=(),
        ),
        routes=(Route("GET", "/api/reminders"),),
    ),
    Verb(
        "CancelReminder",
        acts=True,
        tool=Tool(
            "cancel_reminder",
            "Drop an open reminder by its number. The user is asked first.",
            fields=("number",),
            consent=translatable("Cancel reminder {number}"),
            answer=translatable("The reminder is cancelled."),
        ),
        routes=(Route("POST", "/api/reminders/cancel"),),
    ),
    Verb(
        "ReviewSession",
        strict=True,
        tool=Tool(
            "review_session",
            "Show what has changed in the folder of a session, untracked files too, and its user's "
            "comments on it: since the last commit (`uncommitted`), since the session's last turn "
            "began (`turn`) or since its branch began (`base`). `path` asks for one file.",
            fields=("session", "since", "path"),
            seconds=30.0,
        ),
        routes=(Route("GET", f"{_ONE}/review"),),
    ),
    Verb(
        "ListWorktrees",
        strict=True,
        tool=Tool(
            "list_worktrees",
            "List the git worktrees of the repository that a folder is in, as JSON: branch, base, how far "
            "ahead and behind, changed files and lines, ports, sessions in each, and with which others "
            "each conflicts.",
            fields=("folder",),
            seconds=60.0,
        ),
        routes=(Route("GET", "/api/worktrees"),),
    ),
    Verb(
        "MergeWorktree",
        acts=True,
        tool=Tool(
            "merge_worktree",
            "Merge the commits of the worktree at a folder into its base, or another branch `into`; `how` is "
            "merge, squash or rebase. It is taken away afterwards unless `keep`, or something would be "
            "lost. A conflict changes nothing and is told. The user is asked first.",
            fields=("folder", "into", "how", "keep"),
            consent=translatable("Merge the worktree {folder}"),
            seconds=600.0,
        ),
        routes=(Route("POST", "/api/worktrees/merge"),),
    ),
    Verb("ListHands"),
    Verb("ReachHand"),
    Verb("FindFolders"),
    Verb("Sound", acts=True),
    Verb("StartAgent", acts=True),
    Verb("AgentMode", acts=True),
    Verb("Settings"),
    Verb("Status", strict=True),
    Verb("Ping", strict=True),
    Verb(
        "DetachAll",
        acts=True,
        command="detach",
        help=translatable("let every front end leave; the sessions run on"),
    ),
    Verb(
        "Reload",
        acts=True,
        command="reload",
        help=translatable("go over to the installed version; the sessions run on"),
    ),
    Verb(
        "Quit", acts=True, command="quit", help=translatable("end all sessions and nagomi itself")
    ),
)
"""Every request of the front-end socket."""

COMMANDS: Final = {verb.command: verb for verb in VERBS if verb.command}
"""The rows that are subcommands, by their names."""


def request_type(verb: Verb) -> type[Request[Any]]:
    """Return the class of a verb's request."""
    from nagomi_tui.api import messages

    found: type[Request[Any]] = getattr(messages, verb.request)
    return found


@cache
def verb_of(request: type[Request[Any]]) -> Verb:
    return next(verb for verb in VERBS if verb.request == request.__name__)
