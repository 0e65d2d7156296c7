"""A turn in which something goes wrong: a sentence, nothing lost, and it can be repeated."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from contextlib import asynccontextmanager
from email.utils import formatdate
from time import time
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.to_thread
import msgspec
import pytest

from nagomi_tui.agent.providers import faults
from nagomi_tui.agent.turns.library import make_library
from nagomi_tui.agent.turns.local import open_talk
from nagomi_tui.system import paths
from nagomi_tui.text.words import of
from tests.helpers.agent_library import ended, said, settings_for
from tests.helpers.dead_mount import small_disk
from tests.helpers.model_server import breaks_off, calls, closes, fails, says, sends, stops
from tests.helpers.no_workplace import NoWorkplace
from tests.helpers.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from nagomi_tui.agent.turns.local import LocalTalk
    from nagomi_tui.settings.model import Settings
    from tests.helpers.model_server import ModelServer

pytestmark = pytest.mark.slow
both = pytest.mark.parametrize("provider", ["anthropic", "openai"])
WRONG_KEY = fails(401, "authentication_error", "wrong key")


class Place:
    """A conversation in this process, whose settings may be changed."""

    def __init__(self, talk: LocalTalk, settings: list[Settings]) -> None:
        self.talk = talk
        self._settings = settings

    def change(self, **values: Any) -> None:
        self._settings[0] = msgspec.structs.replace(self._settings[0], **values)


@asynccontextmanager
async def place(
    server: ModelServer, provider: str, language: str = "en", **values: Any
) -> AsyncIterator[Place]:
    url = server.url if provider == "anthropic" else server.chat_url
    told = {"agent_provider": provider, "agent_url": url, **values}
    settings = [settings_for(server, **told)]
    made = await make_library(lambda: settings[0], {}, of(language), NoWorkplace())
    try:
        async with open_talk(made, of(language)) as talk:
            yield Place(talk, settings)
    finally:
        await made.models.close()


async def repeated(server: ModelServer, talk: LocalTalk, text: str) -> None:
    """See that `/retry` says the same again, as if it had not been said before."""
    reply = await talk.command("/retry")
    assert reply.say == text
    server.script()
    server.otherwise = says("Here I am.")
    assert ended(await said(talk, text)).text == "Here I am."
    assert str(server.asked[-1].messages).count(text) == 1


FAULTS: Final = {
    "wrong key": (WRONG_KEY, "did not take the key", "キーを受け付けませんでした"),
    "half": (breaks_off("half an"), "broke off", "途中で切れました"),
    "half, in order": (stops("half an"), "broke off", "途中で切れました"),
    "long wait": (
        fails(429, "rate_limit_error", "slow", 3600),
        "no more requests",
        "受け付けません",
    ),
    "overloaded": (fails(529, "overloaded_error", "Overloaded"), "overloaded", "混み合って"),
    "closed": (closes(), "broke off", "途中で切れました"),
    "no JSON": (
        sends(b"<p>hello</p>", content_type="text/html"),
        "no answer of a model",
        "答えでは",
    ),
}


@both
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_a_sentence_and_the_turn_can_be_repeated(
    server: ModelServer, provider: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "WAITS", (0.01,))
    step, english, japanese = FAULTS[fault]
    server.otherwise = step
    for language, sentence in (("en", english), ("ja", japanese)):
        async with place(server, provider, language) as one:
            server.otherwise = step
            failed = ended(await said(one.talk, f"Hello {language}"))
            assert failed.outcome == "failed" and sentence in failed.text
            await repeated(server, one.talk, f"Hello {language}")


@both
async def test_no_key_names_the_variable_and_the_turn_can_be_repeated(
    server: ModelServer, provider: str
) -> None:
    for language in ("en", "ja"):
        unset = {"agent_url": "", "agent_key_variable": "NOT_SET_HERE"}
        async with place(server, provider, language, **unset) as one:
            failed = ended(await said(one.talk, "Hello"))
            assert failed.outcome == "failed" and "NOT_SET_HERE" in failed.text
            one.change(agent_url=server.url if provider == "anthropic" else server.chat_url)
            await repeated(server, one.talk, "Hello")
            await one.talk.command("/new")


@both
async def test_without_a_network_it_says_where_to_look(
    server: ModelServer, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "WAITS", ())
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # nobody listens on it
        away = f"http://127.0.0.1:{closed.getsockname()[1]}"
        for language, sentence in (("en", "cannot be reached"), ("ja", "つながりません")):
            async with place(server, provider, language, agent_url=away) as one:
                failed = ended(await said(one.talk, "Hello"))
                assert failed.outcome == "failed" and sentence in failed.text
                one.change(agent_url=server.url if provider == "anthropic" else server.chat_url)
                await repeated(server, one.talk, "Hello")
                await one.talk.command("/new")


@both
@pytest.mark.parametrize("dated", [False, True], ids=["seconds", "date"])
async def test_a_short_wait_that_the_server_names_is_waited_for(
    server: ModelServer, provider: str, dated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "WAITS", (60.0,))
    wait: float | str = formatdate(time() + 2, usegmt=True) if dated else 0.1
    server.script(fails(429, "rate_limit_error", "slow", wait), says("Here I am."))
    async with place(server, provider) as one:
        with anyio.fail_after(30):
            assert ended(await said(one.talk, "Hello")).text == "Here I am."
    assert len(server.asked) == 2


@both
async def test_a_date_that_is_far_away_is_told_at_once(server: ModelServer, provider: str) -> None:
    far = formatdate(time() + 3600, usegmt=True)
    server.otherwise = fails(429, "rate_limit_error", "slow", far)
    async with place(server, provider) as one:
        assert "no more requests" in ended(await said(one.talk, "Hello")).text
    assert len(server.asked) == 1


@both
async def test_a_tool_that_is_none_is_told_to_the_model(server: ModelServer, provider: str) -> None:
    server.script(calls("fly", {"to": "moon"}), says("I cannot fly."))
    async with place(server, provider) as one:
        assert ended(await said(one.talk, "Fly")).text == "I cannot fly."
    assert "fly" in str(server.asked[1].messages[-1])


@both
@pytest.mark.requirement("SB-20")
async def test_a_tenth_of_garbled_lines_is_told_and_the_rest_is_sent(
    server: ModelServer, provider: str
) -> None:
    async with place(server, provider) as one:
        for count in range(10):
            await said(one.talk, f"tea {count}")
        id = one.talk.status.conversation
    (file,) = paths.state_folder().rglob(f"{id}.jsonl")
    lines = file.read_bytes().splitlines()
    lines[4] = lines[14] = b'{"type": "us\xff'
    file.write_bytes(b"\n".join(lines) + b"\n")
    for language, sentence in (("en", "2 lines"), ("ja", "2 行")):
        async with place(server, provider, language) as one:
            assert sentence in one.talk.notice
            assert ended(await said(one.talk, "More tea")).outcome == "done"
    sent = str(server.asked[-1].messages)
    assert all((f"tea {count}" in sent) is (count not in (2, 7)) for count in range(10))
    assert file.read_bytes().splitlines()[4] == lines[4]


_FULL: Final = """
import anyio, pathlib, sys
from tests.helpers.no_workplace import NoWorkplace
from nagomi_tui.agent.turns.local import open_talk
from nagomi_tui.agent.turns.library import make_library
from nagomi_tui.settings.model import Settings
from nagomi_tui.text.words import of
from tests.helpers.agent_library import ended, said
folder, provider, url, language = sys.argv[1:]
settings = Settings(llm_consent=True, agent_provider=provider, agent_url=url, agent_model="mame",
                    agent_folder=folder)
async def main():
    made = await make_library(lambda: settings, {}, of(language), NoWorkplace())
    async with open_talk(made, of(language)) as talk:
        await said(talk, "Hello")
        filler = pathlib.Path(folder) / "filler"
        try:
            with filler.open("wb", buffering=0) as file:
                while True:
                    file.write(b"x" * 64)
        except OSError:
            pass
        failed = ended(await said(talk, "z" * 9000))
        assert failed.outcome == "failed", failed
        print(failed.text)
        filler.unlink()
        reply = await talk.command("/retry")
        assert reply.say == "z" * 9000
        assert ended(await said(talk, reply.say)).outcome == "done"
    await made.models.close()
anyio.run(main)
"""


@both
@pytest.mark.requirement("SB-12")
async def test_a_full_disk_is_told_and_the_turn_can_be_repeated(
    server: ModelServer, provider: str, tmp_path: Path
) -> None:
    url = server.url if provider == "anthropic" else server.chat_url
    for language, sentence in (("en", "cannot be written"), ("ja", "書けません")):
        with small_disk(tmp_path) as inside:
            command = [*inside, sys.executable, "-c", _FULL, str(tmp_path), provider, url, language]
            done = await anyio.run_process(command, cwd=ROOT, check=False, stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr.decode()
        assert sentence in done.stdout.decode()
    sent = server.asked[-1].messages
    assert "Hello" in str(sent) and str(sent).count("z" * 9000) == 1


async def test_a_slow_disk_leaves_the_event_loop_free(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the disk takes its time the loop serves others; what is written keeps its order."""
    waits, free = threading.Event(), threading.Event()
    on_loop: list[bool] = []
    real = os.fsync

    def slow(fd: int) -> None:
        on_loop.append(threading.current_thread() is threading.main_thread())
        waits.set()
        free.wait(10)
        real(fd)

    async with place(server, "anthropic") as one:
        await one.talk.command("/work 2")
        monkeypatch.setattr("os.fsync", slow)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(said, one.talk, "Hello")
            assert await anyio.to_thread.run_sync(waits.wait, 10)
            with anyio.fail_after(5):
                await anyio.sleep(0.3)
            assert one.talk.chat.busy
            free.set()
        assert not one.talk.chat.busy
        await said(one.talk, "Again")
        assert on_loop and not any(on_loop) and one.talk.status.turns_left == 0
    assert [message["role"] for message in server.asked[-1].messages] == [
        "user", "assistant", "user",
    ]  # fmt: skip
