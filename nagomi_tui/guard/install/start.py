"""Gives an agent the guard's hooks for one start, by the agent's own option, wherever it is started.

Hooks in a project's settings guard only an agent that is started where it looks for them. What is
given by an option holds for that start, in any folder, and nothing in the project is changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from nagomi_tui.agents.hooks.formats import GUARD
from nagomi_tui.agents.registry import GUARDED
from nagomi_tui.agents.resume import WORD, agent_of, as_typed
from nagomi_tui.guard.install.hooks import GuardHooks
from nagomi_tui.system import files, paths
from nagomi_tui.text.words import Said, translatable

_FLAGS: Final = "/<session-flags>/config.toml"
"""The file that Codex names as the source of hooks from its command line."""
_EXPANDED: Final = re.compile(r"[$`*?~]")
_OVERRIDES: Final = re.compile(r"(-c|--config=?)?\s*hooks\b")
_SETTINGS: Final = "--settings"


class CannotStart(ValueError):
    """The guard's hooks cannot be given to a command; `said` tells why."""

    def __init__(self, sentence: str, **values: object) -> None:
        self.said = Said(sentence, values)
        super().__init__(str(self.said))


def with_hooks(cmd: str, cwd: str) -> str:
    """Return the command of an agent with its hooks as options; any other command as it is.

    Raises:
        CannotStart: the command has options of its own that would take their place.
        OSError: the file of settings cannot be written.
    """
    agent = agent_of(cmd)
    if (guarded := GUARDED.get(agent)) is None:
        return cmd
    hooks = GuardHooks(agent, cwd)
    if guarded.start_option == _SETTINGS:
        cmd, options = _by_settings(cmd, cwd, hooks)
    else:
        options = list(_by_overrides(cmd, cwd, hooks, guarded.start_option))
    plain = [as_typed(word) for word in WORD.findall(cmd)]
    options += [word for word in guarded.start_words if word not in plain]
    program = WORD.match(cmd.lstrip())
    assert program
    return f"{program[0]} {shlex.join(options)}{cmd.lstrip()[program.end() :]}"


def _by_settings(cmd: str, cwd: str, hooks: GuardHooks) -> tuple[str, list[str]]:
    """Return a command without its option for settings, and the option with both in one file.

    The agent takes only one such file. It lies beside the seals, where no agent may write.
    """
    cmd, given = _without_settings(cmd)
    settings = _own_settings(given, cwd) if given else {}
    own = settings.get("hooks") or {}
    if not isinstance(own, dict) or not all(isinstance(one, list) for one in own.values()):
        raise CannotStart(_NOT_SETTINGS, value=given)
    ours = {event: [{"hooks": [one]}] for event, one in hooks.content.handlers.items()}
    events = dict.fromkeys([*own, *ours])
    settings["hooks"] = {name: [*own.get(name, ()), *ours.get(name, ())] for name in events}
    settings["disableAllHooks"] = False
    data = json.dumps(settings).encode()
    folder = paths.make_private(paths.state_folder() / "guard")
    file = folder / f"{hooks.agent}-{hashlib.sha256(data).hexdigest()[:16]}.json"
    if not file.is_file() or file.read_bytes() != data:
        files.write(file, data)
    return cmd, [_SETTINGS, str(file)]


def _without_settings(cmd: str) -> tuple[str, str]:
    """Return a command without its options for settings, and the value of the last one."""
    words = list(WORD.finditer(cmd))
    spans, given = [], ""
    for word, behind in zip(words, [*words[1:], None], strict=True):
        plain = as_typed(word[0])
        if plain == "--":
            break
        if plain == _SETTINGS and behind is not None:
            spans.append((word.start(), behind.end()))
            given = behind[0]
        elif plain.startswith(f"{_SETTINGS}="):
            spans.append(word.span())
            given = word[0].partition("=")[2]
    for start, end in reversed(spans):
        cmd = cmd[:start] + cmd[end:]
    if given and not given.startswith("'") and _EXPANDED.search(given):
        raise CannotStart(_NOT_SETTINGS, value=given)
    return cmd, as_typed(given)


def _own_settings(given: str, cwd: str) -> dict[str, Any]:
    try:
        text = given if given.lstrip().startswith("{") else files.read_text(Path(cwd, given))
        found = json.loads(text)
    except (OSError, ValueError, RecursionError) as exc:
        raise CannotStart(_NOT_SETTINGS, value=given) from exc
    if not isinstance(found, dict):
        raise CannotStart(_NOT_SETTINGS, value=given)
    return found


def _by_overrides(cmd: str, cwd: str, hooks: GuardHooks, option: str) -> Iterator[str]:
    """Yield options with each hook and the mark that it is trusted, as settings in TOML.

    The agent would run hooks of ours in its files as well: for this start these are switched off.
    """
    if any(_OVERRIDES.match(as_typed(word)) for word in WORD.findall(cmd)[1:]):
        raise CannotStart(_OWN_HOOKS)
    states = {
        key: f"enabled=false,trusted_hash={json.dumps(known)}"
        for key, known in _in_files(cwd, hooks)
    }
    for event, handler in hooks.content.handlers.items():
        fields = ",".join(f"{name}={json.dumps(value)}" for name, value in handler.items())
        yield from (option, f"hooks.{event}=[{{hooks=[{{{fields}}}]}}]")
        key = f"{_FLAGS}:{_snake(event)}:0:0"
        states[key] = f"trusted_hash={json.dumps(_hash(event, handler))}"
    told = ",".join(f"{json.dumps(key)}={{{state}}}" for key, state in states.items())
    yield from (option, f"hooks.state={{{told}}}", option, "features.hooks=true")


def _in_files(cwd: str, hooks: GuardHooks) -> Iterator[tuple[str, str]]:
    """Yield by key and digest each hook of ours in the files that the agent reads where it starts.

    With its digest it counts as trusted, so that the agent does not ask about what it will not run.
    """
    name = hooks.path(project=True).relative_to(cwd)
    folders = {Path(cwd), Path(os.path.realpath(cwd))}
    places = {folder / name for one in folders for folder in (one, *one.parents)}
    user = hooks.path(project=False)
    for path in sorted({*places, user, Path(os.path.realpath(user))}):
        try:
            found = json.loads(files.read_text(path))["hooks"]
            for event, groups in found.items():
                for number, group in enumerate(groups):
                    for place, hook in enumerate(group["hooks"]):
                        if GUARD in str(hook.get("command")):
                            yield f"{path}:{_snake(event)}:{number}:{place}", _hash(event, hook)
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue


def _hash(event: str, handler: dict[str, Any]) -> str:
    """Return the digest by which the agent knows a hook that its user trusts."""
    told = {"event_name": _snake(event), "hooks": [{**handler, "async": False}]}
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


_NOT_SETTINGS: Final = translatable(
    "the guard's hooks go into one file with the command's own `--settings`, and `{value}` cannot be "
    "read as JSON or as a file of it; name the file itself"
)
_OWN_HOOKS: Final = translatable(
    "the command sets hooks of its own, which would take the place of the guard's; put them into the "
    "agent's settings"
)
