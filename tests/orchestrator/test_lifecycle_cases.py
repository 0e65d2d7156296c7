"""Making, stopping, starting again, naming and removing sessions: without a socket or a worker."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest

from nagomi_tui.agents.resume import Conversation
from nagomi_tui.api.messages import Create
from nagomi_tui.judge.verdict import Risk
from nagomi_tui.orchestrator.adoption import Adoption
from nagomi_tui.orchestrator.lifecycle.changing import Changing
from nagomi_tui.orchestrator.lifecycle.creating import Creating, NextSteps
from nagomi_tui.orchestrator.lifecycle.launcher import Launcher
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.sessions.session import State
from nagomi_tui.settings.model import Settings
from nagomi_tui.text.words import Said
from nagomi_worker.wire import protocol
from nagomi_worker.wire.messages import SessionState
from tests.helpers.use_cases import ASKER, FakeLink, Log, held, session, table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from nagomi_tui.orchestrator.sessions.session import SessionRuntime


class Unchecked(Launcher):
    """Looks neither for folders nor for programs."""

    async def check_folder(self, cwd: str) -> None:
        pass

    async def _look_for_program(self, order: protocol.StartSession) -> None:
        pass


class Workplace:
    """The use cases with a list of sessions, and a worker that starts what it is told to."""

    def __init__(self) -> None:
        self.sessions, self.told = table()
        self.judges, self.phases, self.recent, self.showing = Log(), Log(), Log(), Log()
        self.published: list[str] = []
        self.fault: Said | None = None
        """Why the worker starts nothing."""
        self.stands_still = False
        """Whether the worker answers nothing."""
        self.can_forget = True
        self.is_strict = False
        self.link = FakeLink(self._ordered)
        launcher = Unchecked(
            lambda: Settings(shell_integration=False),
            cast("Any", self),
            cast("Any", self),
            cast("Any", self),
            surroundings=cast("Any", self),
            strict=cast("Any", self),
            proves=self.proves,
        )
        judges: Any = self.judges
        judges.phases = self.phases
        self.creating = Creating(
            Settings,
            self.sessions,
            launcher,
            hands=cast("Any", self),
            judges=judges,
            store=cast("Any", self.recent),
        )
        self.changing = Changing(
            self.sessions,
            launcher,
            cast("Any", self),
            transcripts=cast("Any", self),
            showing=cast("Any", self.showing),
            judges=judges,
            patience=0.01,
        )

    def _ordered(self, message: Any) -> None:
        if isinstance(message, protocol.StartSession):
            started = self.sessions.get(message.session_id)
            assert started is not None
            started.run.start_fault = self.fault
            if not self.stands_still:
                started.run.settled.set()

    # --- stands for the audience, the pool, strict mode, the surroundings and the transcripts

    def publish(self, session: Any) -> None:
        self.published.append(session.info.name)

    async def hand(self, name: str) -> Any:
        raise Refusal("bad_request", f"There is no hand `{name}`.")

    async def choose(self, _size: int, *, able: str = "") -> Any:
        self.wanted = able
        return self.link

    async def prepare(self, _session: Any, order: protocol.StartSession) -> protocol.StartSession:
        return msgspec.structs.replace(order, guard="{}") if self.is_strict else order

    async def proves(self, caller: Any) -> bool:
        return caller == "the user"

    def child_env(self, env: Mapping[str, str], added: Mapping[str, str]) -> dict[str, str]:
        return dict(env) | dict(added)

    async def settle(self, _session: Any) -> None:
        pass

    async def forget(self, _session: Any) -> bool:
        return self.can_forget

    def read_soon(self, _session: Any) -> None:
        pass

    def listed(self, name: str = "one", **info: Any) -> SessionRuntime:
        """Put a session on the list."""
        made = session(name, **info)
        self.sessions.add(made)
        return made


@pytest.fixture
def place() -> Workplace:
    return Workplace()


async def refused(work: Any) -> str:
    """Return the sentence with which something is refused."""
    with pytest.raises(Refusal) as caught:
        await work
    return caught.value.in_language(ASKER.words)


# --- creating


async def test_a_session_gets_the_shell_and_environment_of_who_asks(place: Workplace) -> None:
    made = await place.creating.create(ASKER, Create(id=0, cmd=" ", cwd="/", env={"A": "1"}))
    order = place.link.sent[0]
    assert (order.cmd, order.cwd) == ("/bin/zsh", "/")
    assert order.env == {"SHELL": "/bin/zsh", "LANG": "C", "A": "1"}
    assert place.sessions.all == (made,) and made.env_names == ("A",)
    assert place.link.sessions == {made.session_id} and place.recent.names == ["keep_fact"]


async def test_of_a_session_that_does_not_start_nothing_is_left(place: Workplace) -> None:
    place.fault = Said("no such program", {})
    said = await refused(place.creating.create(ASKER, Create(id=0, cmd="mke", cwd="/")))
    assert said == "no such program" and place.sessions.all == ()
    assert place.judges.names == ["forget"] and place.recent.calls == []
    assert place.link.sessions == set()


async def test_what_does_not_start_in_time_does_not_start_later_either(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nagomi_tui.orchestrator.lifecycle.launcher._START_SECONDS", 0.01)
    place.stands_still = True
    said = await refused(place.creating.create(ASKER, Create(id=0, cmd="make", cwd="/")))
    assert "in time" in said and place.sessions.all == ()
    order, stop = place.link.sent
    assert stop == protocol.StopSession(session_id=order.session_id)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [({"worker_id": "far"}, "no hand `far`"), ({"cols": 0}, "0×30 cells cannot be made")],
)
async def test_what_cannot_be_is_refused_before_anything_starts(
    place: Workplace, spec: dict[str, Any], sentence: str
) -> None:
    said = await refused(place.creating.create(ASKER, Create(id=0, cmd="make", cwd="/", **spec)))
    assert sentence in said and place.link.sent == []


@pytest.mark.requirement("N-63")
async def test_an_unknown_profile_is_refused_with_the_nearest(place: Workplace) -> None:
    place.judges.profiles = ("claude", "codex")
    for name, said in (("cluade", "did you mean `claude`?"), ("x", "only for claude, codex.")):
        spec = Create(id=0, cmd="make", cwd="/", agent=name)
        assert said in await refused(place.creating.create(ASKER, spec))
    assert place.link.sent == []
    made = await place.creating.create(ASKER, Create(id=0, cmd="make", cwd="/", agent="codex"))
    assert made.info.agent == "codex"


async def test_a_guarded_command_starts_only_where_a_worker_can_confine_it(
    place: Workplace,
) -> None:
    place.is_strict = True
    said = await refused(place.creating.create(ASKER, Create(id=0, cmd="claude", cwd="/")))
    assert said == "Strict mode is off: it needs Linux." and place.link.sent == []
    place.link.capabilities = frozenset({place.wanted})
    made = await place.creating.create(ASKER, Create(id=0, cmd="claude", cwd="/"))
    assert place.link.sent[0].guard == "{}" and place.sessions.all == (made,)


@pytest.mark.requirement("DB-5")
async def test_a_session_is_the_user_s_only_if_that_is_proved(place: Workplace) -> None:
    user = msgspec.structs.replace(ASKER, caller=cast("Any", "the user"))
    made = await place.creating.create(user, Create(id=0, cmd="claude yert", cwd="/"))
    assert not made.info.by_program
    for asks in (ASKER, user):
        made.change(state=State.EXITED)
        await place.changing.restart(asks, made)
        assert made.info.by_program is (asks is ASKER)


# --- stopping and starting again


async def test_stopping_waits_for_the_end(place: Workplace, tmp_path: Path) -> None:
    one, link = held(tmp_path)
    link._on_send = lambda _message: one.run.ended.set()
    await place.changing.stop(one)
    assert link.sent == [protocol.StopSession(session_id="one")] and one.run.stopped
    assert place.judges.names == ["stopped"]


async def test_one_that_does_not_end_or_cannot_be_reached_is_named(
    place: Workplace, tmp_path: Path
) -> None:
    one, _ = held(tmp_path)
    assert "one has not ended yet" in await refused(place.changing.stop(one))
    one.run.link = None
    assert "worker of one cannot be reached" in await refused(place.changing.stop(one))


async def test_an_agent_goes_on_with_its_conversation_unless_it_is_to_be_fresh(
    place: Workplace,
) -> None:
    one = place.listed(cmd="claude", state=State.EXITED, exit_code=1, summary="failed")
    one.conversation = Conversation(agent="claude", id="c-1")
    run = one.run
    assert await place.changing.restart(ASKER, one) is True
    assert "c-1" in place.link.sent[0].cmd
    assert one.run is not run and (one.info.exit_code, one.info.summary) == (None, "")
    one.change(state=State.EXITED)
    assert await place.changing.restart(ASKER, one, fresh=True) is False
    assert place.link.sent[-1].cmd == "claude" and one.conversation is None


async def test_a_restart_that_fails_leaves_the_session_as_it_was(place: Workplace) -> None:
    one = place.listed(state=State.EXITED, exit_code=3)
    place.fault = Said("gone", {})
    assert await refused(place.changing.restart(ASKER, one, "other")) == "gone"
    assert (one.info.state, one.info.exit_code, one.info.cmd) == (State.EXITED, 3, "make")
    assert place.phases.names == ["update"] and place.sessions.all == (one,)


# --- removing and renaming


async def test_only_an_ended_session_is_removed_and_all_forget_it(place: Workplace) -> None:
    one = place.listed()
    assert "still runs" in await refused(place.changing.remove(one))
    one.change(state=State.EXITED)
    place.can_forget = False
    assert "cannot be removed now" in await refused(place.changing.remove(one, history=True))
    assert place.sessions.all == (one,)
    await place.changing.remove(one)
    assert place.sessions.all == () and not one.listed
    assert place.showing.names == place.judges.names == ["forget"]


def test_a_name_is_tidied_and_no_two_sessions_share_it(place: Workplace) -> None:
    one, _ = place.listed("one"), place.listed("two")
    for name in ("two", "  "):
        with pytest.raises(Refusal):
            place.changing.rename(one, name)
    place.changing.rename(one, " api ")
    assert one.info.name == "api" and place.published[-1] == "api"


# --- acting


class Prompt:
    """A shell that is at its prompt or not."""

    def __init__(self, *, free: bool) -> None:
        self.free = free

    async def look(self, _session: Any) -> None:
        pass

    def at_prompt(self, _session: Any) -> bool:
        return self.free


def acting(place: Workplace, *, free: bool = True) -> tuple[NextSteps, Log]:
    typed = Log()
    vars(typed)["asking"] = Prompt(free=free)
    nobody: Any = None
    steps = NextSteps(
        nobody, Settings, place.sessions, place.creating, sender=cast("Any", typed),
        judges=nobody, tell=nobody,
    )  # fmt: skip
    return steps, typed


async def test_a_next_step_is_typed_at_a_prompt_only(place: Workplace) -> None:
    act, typed = acting(place)
    done = await act.act(ASKER, place.listed(), "git status")
    assert not done.new and done.risk is Risk.LOW and typed.calls == [("send_text", "")]
    busy, _ = acting(place, free=False)
    assert "is not at a shell's prompt" in await refused(busy.act(ASKER, session(), "git status"))


async def test_a_risky_step_needs_a_word_and_a_new_session_the_same_folder(
    place: Workplace,
) -> None:
    act, typed = acting(place)
    one = place.listed()
    assert "does more than read" in await refused(act.act(ASKER, one, "rm -rf b"))
    done = await act.act(ASKER, one, "rm -rf b", sure=True, anew=True)
    assert done.new and done.risk is not Risk.LOW and typed.calls == []
    assert (place.link.sent[0].cmd, place.link.sent[0].cwd) == ("rm -rf b", one.info.cwd)


# --- workers that go and come


def orphans(place: Workplace) -> tuple[Adoption, list[str]]:
    told: list[str] = []

    def tell(_kind: str, sentence: str, /, **values: object) -> None:
        told.append(sentence.format(**values))

    return adoption(place, cast("Any", SimpleNamespace(tell=tell, publish=place.publish))), told


def adoption(place: Workplace, audience: Any, told: Any = None) -> Adoption:
    judges: Any = SimpleNamespace(
        drop=getattr(told, "drop", None), phases=place.phases, traces=told
    )
    return Adoption(
        place.sessions, told, judges=judges, audience=audience, alarms=told, lifetime=told,
        is_shown=lambda _session: False, fit=lambda _session: None,
    )  # fmt: skip


def test_with_a_worker_its_sessions_are_lost_and_no_others(place: Workplace) -> None:
    one, two, done = place.listed("one"), place.listed("two"), place.listed("done")
    done.change(state=State.EXITED)
    link: Any = place.link
    one.run.link = done.run.link = link
    lost, told = orphans(place)
    lost.lose(link)
    assert [each.info.state for each in (one, two, done)] == [
        State.LOST, State.RUNNING, State.EXITED,
    ]  # fmt: skip
    assert one.run.ended.is_set() and one.run.settled.is_set() and one.run.start_fault
    assert told == ["A worker has stopped; these were in it: one."]


def test_what_lives_without_its_worker_is_looked_for_until_it_ends(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = place.listed("one"), place.listed("two")
    alive = {"one"}
    monkeypatch.setattr(
        "nagomi_tui.orchestrator.adoption.lives",
        lambda info: info.name in alive,
    )
    missing, told = orphans(place)
    missing.sort_out()
    assert (one.info.state, two.info.state) == (State.RUNNING, State.SAVED)
    assert len(told) == 1 and "worker of one cannot be reached" in told[0]
    missing.look_again()
    assert one.info.state is State.RUNNING
    alive.clear()
    missing.look_again()
    assert one.info.state is State.SAVED and one.run.ended.is_set()


def test_a_joined_session_is_as_its_worker_says(place: Workplace, tmp_path: Path) -> None:
    one, link = held(tmp_path, cmd="", exit_code=None)
    told: Any = Log()
    state = SessionState(
        session_id="one", cmd="make all", pid=11, next_offset=0, cols=90, rows=20, exit_code=2
    )
    audience: Any = Log()
    adoption(place, audience, told).join_one(one, cast("Any", link), state)
    assert (one.info.state, one.info.exit_code, one.info.pid) == (State.EXITED, 2, None)
    assert (one.info.cmd, one.info.cols, one.info.rows) == ("make all", 90, 20)
    assert one.run.screen is None and one.run.ended.is_set() and told.names == ["end"]
