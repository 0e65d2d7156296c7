"""The prompt while its session reads a secret: dots, and nothing of it anywhere afterwards."""

from __future__ import annotations

import pytest

from nagomi_tui.api.messages import Send
from nagomi_tui.sessions.session import State
from nagomi_tui.view.screens import prompt as prompts
from nagomi_tui.view.screens.prompt import Prompt
from tests.helpers.app_pilot import Visit, visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

ONE, TWO = session(1, "one"), session(2, "two")
SECRET = session(1, "one", secret=True)


async def chat(here: Visit) -> Prompt:
    await here.leader("v")
    await here.until(lambda: here.app.query(Prompt) and here.app.query_one(Prompt).has_focus)
    return here.app.query_one(Prompt)


def nowhere(here: Visit, prompt: Prompt, secret: str) -> bool:
    """Tell whether the secret is in nothing that keeps what was written, nor on the screen."""
    state = here.app.parts.state
    return secret not in f"{state.history} {state.drafts} {prompt.draft} {here.text()}"


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", ("one reads a secret", "hidden, and not kept")), ("ja", ("秘密の入力", "残しません"))],
)
@pytest.mark.requirement("N-86")
async def test_a_secret_is_hidden_as_it_is_typed_and_kept_nowhere(
    language: str, said: tuple[str, ...]
) -> None:
    with FakeOrchestrator(SECRET, language=language) as server:
        async with visit(server, (80, 24)) as here:
            prompt = await chat(here)
            await here.sees(*said)
            await here.type("hunter2")
            await here.sees("•" * 7, said[1])
            assert nowhere(here, prompt, "hunter")
            await here.press("enter")
            await here.until(lambda: server.told(Send))
            assert server.told(Send)[0].text == "hunter2"
            await here.press("up", "up", "ctrl+z", "ctrl+y")
            assert prompt.text == ""
            server.change(ONE.session_id, secret=False)
            await here.until(lambda: not prompt.hidden)
            await here.press("up", "ctrl+z", "ctrl+y")
            assert prompt.text == "" and nowhere(here, prompt, "hunter")


async def test_a_draft_waits_behind_a_secret_and_is_not_sent() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            await here.type("half a")
            prompt._begun_at -= prompts.ANSWERED
            server.change(ONE.session_id, secret=True)
            await here.until(lambda: prompt.hidden)
            assert prompt.text == ""
            await here.press("p", "w", "enter")
            await here.until(lambda: server.told(Send))
            assert server.told(Send)[0].text == "pw"
            await here.leader("v")
            await here.until(lambda: not here.app.query(Prompt))
            prompt = await chat(here)
            assert prompt.hidden and prompt.text == ""
            server.change(ONE.session_id, secret=False)
            await here.until(lambda: prompt.text == "half a")


async def test_what_was_begun_as_the_question_came_is_part_of_the_secret() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            await here.type("hun")
            server.change(ONE.session_id, secret=True)
            await here.until(lambda: prompt.hidden)
            await here.type("ter2")
            await here.sees("•" * 7)
            assert nowhere(here, prompt, "hun")
            await here.press("ctrl+z", "ctrl+z", "ctrl+z")
            assert nowhere(here, prompt, "hun")
            prompt.text = "hunter2"
            await here.press("enter")
            await here.until(lambda: server.told(Send))
            assert server.told(Send)[0].text == "hunter2"


async def test_a_secret_that_was_not_sent_is_dropped_when_its_time_is_over() -> None:
    """It was broken off elsewhere, or the user goes to another lane."""

    with FakeOrchestrator(SECRET, TWO) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            await here.type("hunter2")
            await here.leader("n")
            await here.until(lambda: not prompt.hidden)
            assert prompt.text == ""
            await here.type("for two")
            await here.leader("n")
            await here.until(lambda: prompt.hidden)
            assert prompt.text == "" and nowhere(here, prompt, "hunter")
            await here.type("hunter2")
            server.change(ONE.session_id, secret=False)
            await here.until(lambda: not prompt.hidden)
            assert prompt.text == "" and nowhere(here, prompt, "hunter")


async def test_what_has_ended_reads_no_secret() -> None:
    """A record, or a worker's death, may leave that open."""

    with FakeOrchestrator(session(1, "one", secret=True, state=State.LOST)) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            await here.type("draft")
            assert not prompt.hidden and prompt.draft == "draft"
            await here.sees("draft")
            await here.misses("not kept")


async def test_a_secret_that_was_refused_does_not_come_back() -> None:
    with FakeOrchestrator(SECRET) as server:
        server.refusals[Send] = "It cannot be reached."
        async with visit(server) as here:
            prompt = await chat(here)
            await here.type("hunter2")
            await here.press("enter")
            await here.sees("It cannot be reached.")
            assert prompt.text == "" and nowhere(here, prompt, "hunter")


async def test_what_turns_out_to_have_been_a_secret_is_not_kept() -> None:
    """It was sent before anybody here knew."""

    with FakeOrchestrator(ONE) as server:
        server.secrets = {"hunter2"}
        async with visit(server) as here:
            prompt = await chat(here)
            await here.type("hunter2")
            await here.press("enter")
            await here.type("later")
            await here.press("enter")
            await here.until(lambda: here.app.parts.state.history.get(ONE.session_id) == ["later"])
            await here.press("up", "up")
            assert prompt.text == "later" and nowhere(here, prompt, "hunter")


async def test_a_secret_is_not_copied_and_holds_no_lines() -> None:
    with FakeOrchestrator(SECRET, enter_sends=False) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            await here.type("hunter2")
            prompt.select_all()
            await here.press("ctrl+c", "end", "shift+enter", "ctrl+j")
            assert here.app.clipboard == "" and prompt.text == "hunter2"
            await here.press("enter")
            await here.until(lambda: server.told(Send))
            assert server.told(Send)[0].text == "hunter2"
