"""Which function decides which event of the guard's hook."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.agents.agent import Guarded
from nagomi_tui.guard.decide import texts
from nagomi_tui.guard.decide.documents import Config, Environment, Protocol, State
from nagomi_tui.guard.decide.events import Classify, Decision, Prompt, ToolUse
from nagomi_tui.guard.decide.tools import before_tool
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.hook.tools import Payload, tool_use
from nagomi_tui.shell.words import Verdict
from nagomi_worker.confine import mount_table

if TYPE_CHECKING:
    from nagomi_tui.guard.decide.branches import Checkout

VARIABLES: Final = ("GITHUB_ACTIONS", "GITHUB_WORKFLOW", "CI", "CONTINUOUS_INTEGRATION")
_NO: Final = ("", "0", "false", "no", "off", "n", "f")


def is_bypassed(variables: Mapping[str, str]) -> bool:
    """Tell by the environment that the client was started with whether the guard is bypassed.

    In a session of the workplace a user is present, so that these variables do not count.
    """
    if variables.get("NAGOMI_SESSION_ID"):
        return False
    return any(variables.get(name, "").strip().casefold() not in _NO for name in VARIABLES)


class Scene(msgspec.Struct, frozen=True):
    """An event, with everything that is needed to decide it."""

    project: Project
    config: Config
    state: State
    payload: Payload
    guarded: Guarded
    """How the guard treats this client."""
    cwd: str
    client: int
    """Process id of the client."""
    inside: int = 0
    """Process id of a client in a strict session, which any program there may have written; else 0."""


def _before(scene: Scene) -> Decision:
    classify = _classifier(scene)
    runs = _runner(scene) if scene.inside else None
    use = _use(scene)
    bypassed = _is_bypassed(scene.client)
    where = partial(_checkout, scene.project)
    return before_tool(
        use, scene.state, scene.config, classify, bypassed=bypassed, checkout_of=where, runs=runs
    )


def _after(scene: Scene) -> Decision:
    from nagomi_tui.guard.decide.afterwards import after_tool

    use = _use(scene)
    done = after_tool(use, scene.state, scene.config)
    if not use.targets or scene.state.current_task.file is None:
        return done
    from nagomi_tui.guard.hook import task_events

    return task_events.edited(scene.project, use, done)


def _prompt(scene: Scene) -> Decision:
    from nagomi_tui.guard.decide.prompt import meaning, on_prompt
    from nagomi_tui.guard.files.context import fill
    from nagomi_tui.guard.hook import client, task_events

    given, text = scene.payload, scene.payload.prompt
    fault = client.why_not_typed(text, given.source, scene.client, scene.config)
    known = fill(given.session_id or "", given.transcript_path or "", scene.state, scene.config)
    prompt = Prompt(text=text, typed=not fault, tokens=known.tokens, limit=known.limit)
    decision = on_prompt(prompt, scene.state, scene.config, partial(_template, scene.project))
    if meaning(text, scene.config) == "stop":
        task_events.note_stop(scene.project, text, scene.config.trigger_phrases.discussion_mode)
    refused = client.told_refused(text, fault, scene.config)
    return msgspec.structs.replace(decision, notices=(*decision.notices, *refused))


def _stop(scene: Scene) -> Decision:
    from nagomi_tui.guard.decide.afterwards import after_turn

    return after_turn(scene.payload.last_assistant_message or "", scene.state)


def _agent_began(scene: Scene) -> Decision:
    from nagomi_tui.guard.decide.afterwards import subagent_began
    from nagomi_tui.guard.hook import task_events

    given = scene.payload
    done = subagent_began(given.agent_id or "", scene.state)
    transcript, session = given.transcript_path or "", given.session_id or ""
    return task_events.for_subagent(
        scene.project, transcript, session, given.agent_type or "", done
    )


def _agent_ended(scene: Scene) -> Decision:
    from nagomi_tui.guard.decide.afterwards import subagent_ended

    return subagent_ended(scene.payload.agent_id or "", scene.state)


def _session(scene: Scene) -> Decision:
    """Begin a session, and store the client's model, from which the context limit follows."""
    from nagomi_tui.guard.decide.afterwards import session_began
    from nagomi_tui.guard.hook import task_events

    source = scene.payload.source or "startup"
    done = session_began(source, scene.state)
    began = task_events.began(scene.project, source, done)
    if (surroundings := scene.config.environment) != Environment():
        told = texts.SURROUNDINGS.format(**msgspec.structs.asdict(surroundings))
        began = msgspec.structs.replace(began, context=(*began.context, told))
    model = scene.payload.model
    if not isinstance(model, str) or not model:
        return began
    own = msgspec.structs.replace(began.state.own, model=model[:100])
    return msgspec.structs.replace(began, state=began.state.with_own(own))


DECIDERS: Final[Mapping[str, Callable[[Scene], Decision]]] = {
    "PreToolUse": _before,
    "PostToolUse": _after,
    "UserPromptSubmit": _prompt,
    "Stop": _stop,
    "SubagentStart": _agent_began,
    "SubagentStop": _agent_ended,
    "SessionStart": _session,
}
"""Events that are decided; any other event is only sent on to nagomi."""


def _checkout(project: Project, relative: str) -> Checkout:
    from nagomi_tui.guard.hook import task_events

    return task_events.checkout_of(project, relative)


def _template(project: Project, protocol: Protocol) -> str:
    from nagomi_tui.guard.tasks.shipped_texts import protocol_template

    return protocol_template(project, protocol)


def _use(scene: Scene) -> ToolUse:
    return tool_use(scene.payload, scene.guarded, scene.project, scene.cwd)


def _runner(scene: Scene) -> Classify | None:
    """Return a classifier that also lets a project's own code run; None unless the kernel holds it."""
    if not is_held(os.path.realpath(scene.project.root), scene.inside):
        return None
    if is_held("/", scene.inside):
        return _classifier(scene, held=True)
    return _classifier(scene, reads=tuple(runner_lines()))


def _classifier(scene: Scene, *, reads: tuple[str, ...] = (), held: bool = False) -> Classify:
    """Return the classifier of shell commands, which is imported at its first use.

    If the client lets its agent type into a running command without asking (`types_unasked`),
    only programs that are known to take no keys count as reads. Commands that begin with `reads` are reads.
    If the agent names the shell (`other_shells`), a command has to read in each of these that is there.
    Where all files are `held` by the kernel, more may run.
    """
    known: dict[str, Verdict] = {}

    def classify(command: str) -> Verdict:
        if command not in known:
            from nagomi_tui.guard.files.folder import Here
            from nagomi_tui.shell.classifier import classify as told
            from nagomi_tui.shell.patterns import Patterns

            blocked = scene.config.blocked_actions
            patterns = Patterns(
                (*blocked.bash_read_patterns, *reads),
                blocked.bash_write_patterns,
                lets_unknown=not blocked.extrasafe,
                held=held,
                keyed=scene.guarded.types_unasked,
                shells=[one for one in scene.guarded.other_shells if _is_there(one)],
                folder=Here(scene.cwd),
            )
            known[command] = told(command, patterns)
        return known[command]

    return classify


def _is_there(shell: str) -> bool:
    from shutil import which

    return shell != "powershell" or which("pwsh") is not None or which("powershell") is not None


def _is_bypassed(client: int) -> bool:
    """Tell whether this is continuous integration, by the environment the client was started with.

    Variables that the client's settings or an agent's shell set later do not count.
    """
    if not any(os.environ.get(name) for name in VARIABLES):
        return False
    if os.environ.get("NAGOMI_SESSION_ID"):
        return False
    from nagomi_tui.guard.hook.client import environment, started_by_agent

    return is_bypassed(environment(client)) and not started_by_agent(client)


_PYTHON: Final = (
    "-c", "-m pytest", "-m unittest", "-m mypy", "-m ruff", "-m coverage", "-m compileall", "-m doctest",
    "-m timeit",
)  # fmt: skip
_PYTHON_TOOLS: Final = (
    "pytest", "mypy", "ruff", "pyright", "tox", "nox", "coverage", "hypothesis", "pylint", "flake8",
)  # fmt: skip
_NODE_TOOLS: Final = (
    "jest", "vitest", "mocha", "ava", "tsc", "eslint", "vite build", "webpack", "rollup", "esbuild", "next build",
    "playwright test",
)  # fmt: skip
_PACKAGE_RUNNERS: Final = (
    "test", "t", "run test", "run build", "run lint", "run check", "run typecheck",
)  # fmt: skip
_OTHERS: Final = (
    "make", "ctest", "cmake --build", "ninja", "meson test", "meson compile", "bazel test", "bazel build",
    "cargo test", "cargo build", "cargo check", "cargo clippy", "cargo nextest", "cargo bench", "go test",
    "go build", "go vet", "node -e", "node --test", "node -p", "deno test", "deno check", "bun test",
    "ruby -e", "bundle exec rspec", "rspec", "bundle exec rake test", "perl -e", "php -r", "vendor/bin/phpunit",
    "phpunit", "mvn test", "mvn verify", "mvn compile", "gradle test", "gradle build", "./gradlew test",
    "./gradlew build", "./mvnw test", "./mvnw verify", "dotnet test", "dotnet build", "swift test", "swift build",
    "mix test", "sbt test", "stack test", "cabal test", "zig build", "zig test",
)  # fmt: skip
_TABLE: Final = "/proc/{pid}/mountinfo"


def runner_lines() -> Iterator[str]:
    """Yield the words with which such commands begin."""
    yield from _OTHERS
    for place in ("", ".venv/bin/", "venv/bin/", "./.venv/bin/"):
        for name in ("python", "python3"):
            yield from (f"{place}{name} {rest}" for rest in _PYTHON)
        yield from (f"{place}{name}" for name in _PYTHON_TOOLS)
    for runner in ("uv run", "poetry run", "hatch run", "pdm run", "pipenv run"):
        yield from (f"{runner} {name}" for name in _PYTHON_TOOLS)
        yield from (f"{runner} python {rest}" for rest in _PYTHON)
    for place in ("", "npx ", "node_modules/.bin/", "./node_modules/.bin/", "pnpm exec ", "yarn "):
        yield from (f"{place}{name}" for name in _NODE_TOOLS)
    for name in ("npm", "pnpm", "yarn", "bun"):
        yield from (f"{name} {rest}" for rest in _PACKAGE_RUNNERS)


def is_held(folder: str, pid: int) -> bool:
    """Tell whether a process sees a folder through a read-only mount of its own; `/` tells it of all else."""
    with contextlib.suppress(OSError), open(_TABLE.format(pid=pid), "rb") as table:
        own = [one for one in mount_table.parse(table.read()) if one.path == folder]
        return bool(own) and not own[-1].writable
    return False
