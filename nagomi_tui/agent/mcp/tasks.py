"""Tool calls that last, as tasks that their client polls: MCP's extension `io.modelcontextprotocol/tasks` (SEP-2663).

A client that declares the extension with its call gets a task in place of the result, and asks for it
from time to time. A question that the session asks meanwhile is the task's `inputRequests`; what the
client answers is put to the session as `answer_session` does, with the user's consent. Every other
client waits for its result as long as the tool allows. Tasks end with the server's process; the
sessions that they watch run on.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final

import anyio
import mcp_types as types
from anyio.abc import TaskGroup
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from nagomi_tui.agent.providers.interface import ToolCall
from nagomi_tui.agent.tools.interface import ToolFault, ToolResult, Workplace
from nagomi_tui.agent.tools.session_actors import StartGiven, StartSession
from nagomi_tui.agent.tools.session_readers import WaitForSession
from nagomi_tui.agent.tools.toolbox import Toolbox
from nagomi_tui.api import messages
from nagomi_tui.judge.questions import Question
from nagomi_tui.masking import mask
from nagomi_tui.sessions.session import Condition
from nagomi_tui.text.cells import printable

if TYPE_CHECKING:
    Ask = Callable[[Question], Awaitable[str]]
    """Puts a question to the client's user; returns the key of a choice, or nothing."""

_log = logging.getLogger(__name__)
EXTENSION: Final = "io.modelcontextprotocol/tasks"
_POLL_MS: Final = 1000
_KEPT_SECONDS: Final = 24 * 3600.0
"""How long a task waits for its session, and its result is kept."""
_MOST: Final = 100
"""Tasks that are kept at most; those that ended first go first."""
_PATIENT_SECONDS: Final = 600.0
"""How long a client without tasks waits."""
_LAST_ROWS: Final = 40


class StartAndWait(StartSession):
    """Starts a session, for `Watching` to wait for."""

    name: ClassVar = "start_and_wait"
    description: ClassVar = (
        "Start a new session that runs a shell command in a folder, and wait until it has ended, its "
        "turn is over or it needs its user; the result has its last rows. The user is asked first."
    )
    given: ClassVar = StartGiven


class Watching:
    """Carries out the calls that last: starts the session if that is asked for, and waits for it."""

    TOOLS: Final = frozenset({StartAndWait.name, WaitForSession.name})

    def __init__(self, toolbox: Toolbox, workplace: Workplace) -> None:
        self._toolbox = toolbox
        self._workplace = workplace

    async def use(
        self, call: ToolCall, *, seconds: float = _PATIENT_SECONDS, ask: Ask | None = None
    ) -> ToolResult:
        """Carry out a call of one of `TOOLS`, for at most so many seconds.

        With `ask`, a question of a session that was started here is put to the client's user.
        """
        first = await self._toolbox.use(call)
        if not first.session:
            return first
        try:
            return await self._watched(first, call, seconds, ask)
        except ToolFault as exc:
            return ToolResult(f"{first.text}\n{exc}", ok=False)

    async def _watched(
        self, first: ToolResult, call: ToolCall, seconds: float, ask: Ask | None
    ) -> ToolResult:
        said, deadline = [first.text], anyio.current_time() + seconds
        while (left := deadline - anyio.current_time()) > 0:
            order = messages.Wait(id=0, session=first.session, until="turn", timeout=left)
            waited = await self._workplace.request(order, timeout=left + 10.0)
            if (
                waited.condition is not Condition.ATTENTION
                or ask is None
                or not await self._answered(first.session, call, ask)
            ):
                break
        looked = await self._toolbox.use(
            ToolCall(call.id, "why_session", {"session": first.session})
        )
        read = await self._toolbox.use(
            ToolCall(call.id, "read_session", {"session": first.session, "last": _LAST_ROWS})
        )
        code = "" if waited.exit_code is None else f" Exit code {waited.exit_code}."
        said += [
            f"The wait ended by: {waited.reason}; it is {waited.condition}.{code}",
            looked.text,
            read.text,
        ]
        return ToolResult("\n".join(said))

    async def _answered(self, session: str, call: ToolCall, ask: Ask) -> bool:
        """Put the question of a session to the client's user; return whether it was answered."""
        asked = await self._workplace.request(messages.Asks(id=0, session=session))
        if asked.question is None or not asked.question.choices:
            return False
        choice = await ask(asked.question)
        given = {"session": session, "choice": choice}
        return (
            bool(choice)
            and (await self._toolbox.use(ToolCall(call.id, "answer_session", given))).ok
        )


class _Named(types.RequestParams):
    task_id: str


class _Update(_Named):
    input_responses: types.InputResponses


class Task:
    """One call that goes on."""

    def __init__(self) -> None:
        self.id = secrets.token_urlsafe(24)
        self.scope = anyio.CancelScope()
        self.made = self._changed = datetime.now(UTC)
        self._state: dict[str, Any] = {"status": "working"}
        self._asked = 0
        self._question: tuple[str, anyio.Event] = ("", anyio.Event())
        self._answer = ""

    @property
    def has_ended(self) -> bool:
        """Whether its result stands."""
        return self._state["status"] not in ("working", "input_required")

    def told(self, kind: str = "complete") -> dict[str, Any]:
        """Return the task as it is sent, as a result of this kind."""
        return {
            "resultType": kind,
            "taskId": self.id,
            "createdAt": self.made.isoformat(),
            "lastUpdatedAt": self._changed.isoformat(),
            "ttlMs": int(_KEPT_SECONDS * 1000),
            "pollIntervalMs": _POLL_MS,
            **self._state,
        }

    def stands(self, status: str, **more: Any) -> None:
        """Note how it stands, unless it has ended."""
        if not self.has_ended:
            self._state = {"status": status, **more}
            self._changed = datetime.now(UTC)

    async def ask(self, message: str, choices: list[tuple[str, str]]) -> str:
        """Wait for the client's answer to a question; return the key of a choice, or nothing."""
        self._asked += 1
        key, came = f"question-{self._asked}", anyio.Event()
        self._question, self._answer = (key, came), ""
        named = [{"const": choice, "title": label} for choice, label in choices]
        form = {
            "type": "object",
            "properties": {"choice": {"type": "string", "oneOf": named}},
            "required": ["choice"],
        }
        asked = {"mode": "form", "message": message, "requestedSchema": form}
        self.stands(
            "input_required", inputRequests={key: {"method": "elicitation/create", "params": asked}}
        )
        await came.wait()
        self.stands("working")
        return self._answer

    def answer(self, responses: types.InputResponses) -> None:
        """Take in what the client answers; what was not asked, or was answered, is ignored."""
        key, came = self._question
        found = responses.get(key)
        if isinstance(found, types.ElicitResult) and not came.is_set():
            if found.action == "accept" and found.content:
                self._answer = str(found.content.get("choice") or "")
            came.set()


class Tasks:
    """The tasks of the client that this process serves."""

    def __init__(self, group: TaskGroup, watching: Watching) -> None:
        self._group = group
        self._watching = watching
        self._tasks: dict[str, Task] = {}

    def serve(self, server: Server[Any]) -> None:
        """Have the server tell of tasks, and answer the extension's requests."""
        server.extensions[EXTENSION] = {}
        server.add_request_handler("tasks/get", _Named, self._get)
        server.add_request_handler("tasks/update", _Update, self._update)
        server.add_request_handler("tasks/cancel", _Named, self._cancel)

    def begin(self, context: ServerRequestContext[Any], call: ToolCall) -> dict[str, Any]:
        for one in [one for one in self._tasks.values() if one.has_ended][
            : len(self._tasks) - _MOST + 1
        ]:
            del self._tasks[one.id]
        task = Task()
        self._tasks[task.id] = task
        capabilities = context.session.client_capabilities
        asks = capabilities is not None and capabilities.elicitation is not None
        self._group.start_soon(self._run, task, call, asks)
        return task.told("task")

    async def _run(self, task: Task, call: ToolCall, asks: bool) -> None:
        async def ask(question: Question) -> str:
            lines = (question.text, *question.details)
            message = mask("\n".join(printable(line) for line in lines))
            return await task.ask(
                message, [(choice.key, printable(choice.label)) for choice in question.choices]
            )

        with task.scope:
            try:
                found = await self._watching.use(
                    call, seconds=_KEPT_SECONDS, ask=ask if asks else None
                )
            except Exception as exc:  # The task tells it; the server serves on.
                error = {"code": types.INTERNAL_ERROR, "message": type(exc).__name__}
                task.stands("failed", error=error, statusMessage="nagomi failed; its log says why.")
                _log.exception("a task ended badly")
            else:
                told = result_of(found)
                task.stands(
                    "completed",
                    result=told.model_dump(by_alias=True, mode="json", exclude_none=True),
                )
        task.stands("cancelled")

    async def _get(self, context: ServerRequestContext[Any], params: _Named) -> dict[str, Any]:
        return self._find(context, params.task_id).told()

    async def _update(self, context: ServerRequestContext[Any], params: _Update) -> dict[str, Any]:
        self._find(context, params.task_id).answer(params.input_responses)
        return {}

    async def _cancel(self, context: ServerRequestContext[Any], params: _Named) -> dict[str, Any]:
        task = self._find(context, params.task_id)
        task.stands("cancelled")
        task.scope.cancel()
        return {}

    def _find(self, context: ServerRequestContext[Any], task_id: str) -> Task:
        """Return a task.

        Raises:
            MCPError: the client has not declared the extension, or there is no such task.
        """
        if not takes_tasks(context):
            needed: dict[str, Any] = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
            raise MCPError(
                types.MISSING_REQUIRED_CLIENT_CAPABILITY,
                "The client has not declared tasks.",
                needed,
            )
        if (task := self._tasks.get(task_id)) is None:
            raise MCPError(types.INVALID_PARAMS, "There is no such task.")
        return task


def takes_tasks(context: ServerRequestContext[Any]) -> bool:
    """Tell whether a request's client has declared that it takes tasks."""
    capabilities = context.session.client_capabilities
    declared = capabilities.extensions if capabilities else None
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS and EXTENSION in (declared or {})


def result_of(found: ToolResult) -> types.CallToolResult:
    """Return a tool's result as MCP has it."""
    return types.CallToolResult(content=[types.TextContent(text=found.text)], is_error=not found.ok)


@asynccontextmanager
async def tasks_of(watching: Watching) -> AsyncIterator[Tasks]:
    """Yield the tasks of a client; those that go on end with the block."""
    async with anyio.create_task_group() as group:
        yield Tasks(group, watching)
        group.cancel_scope.cancel()
