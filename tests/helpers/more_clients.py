"""Other real agents, started so that they ask only a model server of ours."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any, Final

from tests.helpers.clients import program, with_node

if TYPE_CHECKING:
    from pathlib import Path

_NOWHERE: Final = "http://127.0.0.1:{port}"


def gemini(home: Path, cwd: Path, port: int) -> tuple[str, dict[str, str]]:
    """Return the command and environment of a Gemini CLI."""
    path = program("gemini")
    _write(home / ".gemini" / "settings.json", {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 2},
        "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
        "ui": {"hideTips": True},
    })  # fmt: skip
    env = {
        "HOME": str(home), "GEMINI_API_KEY": "fake-key", "NO_BROWSER": "1",
        "GOOGLE_GEMINI_BASE_URL": _NOWHERE.format(port=port),
    }  # fmt: skip
    return f"{path} -m gemini-2.5-flash", with_node(env)


def qwen(home: Path, cwd: Path, port: int) -> tuple[str, dict[str, str]]:
    """Return the command and environment of a Qwen Code, which asks before it acts."""
    path = program("qwen")
    _write(home / ".qwen" / "settings.json", {
        "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
        "general": {"enableAutoUpdate": False}, "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    })  # fmt: skip
    env = {
        "HOME": str(home), "OPENAI_API_KEY": "fake", "OPENAI_MODEL": "fake-model",
        "OPENAI_BASE_URL": f"{_NOWHERE.format(port=port)}/v1",
    }  # fmt: skip
    return f"{path} --approval-mode default", with_node(env)


def opencode(home: Path, cwd: Path, port: int) -> tuple[str, dict[str, str]]:
    """Return the command and environment of an opencode, which asks before it acts."""
    path = program("opencode")
    limit = {"context": 128000, "output": 8000}
    provider = {
        "npm": "@ai-sdk/openai-compatible", "name": "Fake",
        "options": {"baseURL": f"{_NOWHERE.format(port=port)}/v1", "apiKey": "fake"},
        "models": {"fake-model": {"name": "Fake model", "limit": limit}},
    }  # fmt: skip
    _write(home / ".config" / "opencode" / "opencode.json", {
        "autoupdate": False, "share": "disabled", "model": "fake/fake-model",
        "small_model": "fake/fake-model", "permission": {"bash": "ask", "edit": "ask"},
        "provider": {"fake": provider},
    })  # fmt: skip
    names = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD")
    env = {"HOME": str(home), **{f"OPENCODE_DISABLE_{name}": "1" for name in names}}
    return path, with_node(env)


def copilot(home: Path, cwd: Path, port: int) -> tuple[str, dict[str, str]]:
    """Return the command and environment of a GitHub Copilot CLI."""
    path = program("copilot")
    folder = home / ".copilot"
    for name in ("config.json", "settings.json"):
        _write(folder / name, {"trustedFolders": [str(cwd)], "banner": "never"})
    env = {
        "HOME": str(home), "COPILOT_OFFLINE": "true", "COPILOT_MODEL": "fake-model",
        "COPILOT_PROVIDER_BASE_URL": f"{_NOWHERE.format(port=port)}/v1", "COPILOT_PROVIDER_API_KEY": "fake",
    }  # fmt: skip
    return path, with_node(env)


def cline(home: Path, cwd: Path, port: int) -> tuple[str, dict[str, str]]:
    """Return the command and environment of a Cline, which asks before it acts."""
    path = program("cline")
    home.mkdir(parents=True, exist_ok=True)
    env = with_node({
        "HOME": str(home), "CLINE_TELEMETRY_DISABLED": "1", "DO_NOT_TRACK": "1",
        "CLINE_NO_AUTO_UPDATE": "1", "CLINE_DISABLE_CLINE_PASS_NOTICE": "1",
    })  # fmt: skip
    auth = [path, "auth", "-p", "openai-compatible", "-k", "fake", "-m", "fake-model", "-b"]
    subprocess.run(
        [*auth, f"{_NOWHERE.format(port=port)}/v1"],
        env=env,
        cwd=cwd,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return f"{path} --auto-approve false", env


def aider(home: Path, cwd: Path, port: int) -> tuple[str, dict[str, str]]:
    """Return the command and environment of an aider."""
    path = program("aider")
    (home / ".aider").mkdir(parents=True)
    (cwd / ".gitignore").write_text(".aider*\n")
    git = "git init -q . && git config user.email a@b.c && git config user.name t && git add -A && git commit -qm begin"
    subprocess.run(git, shell=True, cwd=cwd, check=True)
    env = {
        "HOME": str(home), "OPENAI_API_KEY": "fake", "OPENAI_API_BASE": f"{_NOWHERE.format(port=port)}/v1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True", "AIDER_ANALYTICS_DISABLE": "true",
        "AIDER_CHECK_UPDATE": "false", "AIDER_SHOW_MODEL_WARNINGS": "false",
        "AIDER_SHOW_RELEASE_NOTES": "false",
    }  # fmt: skip
    return f"{path} --model openai/fake-model --edit-format diff", env


def _write(path: Path, value: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
