"""The plain codec, for where msgspec cannot be had, says and understands what msgspec does."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nagomi_worker.plain
from nagomi_worker.wire import protocol
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

GOLDEN: Final = Path(__file__).parents[1] / "golden"
PLAIN: Final = Path(nagomi_worker.plain.__file__).parent
LINES: Final = {
    way: [
        line
        for name in (f"{way}_fixed", f"{way}_extensions")
        for line in (GOLDEN / f"{name}.ndjson").read_bytes().splitlines()
    ]
    for way in ("to_worker", "from_worker")
}
ALL: Final = [(way, line) for way, lines in LINES.items() for line in lines]
JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text() | st.just(1.0)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


@pytest.fixture(scope="module")
def plain() -> ModuleType:
    """The protocol as it is where the plain modules stand in for the compiled ones."""
    names = ("msgspec", "nagomi_worker.wire")
    real = {name: one for name, one in sys.modules.items() if name.startswith(names)}
    for name in real:
        del sys.modules[name]
    sys.path.insert(0, os.fspath(PLAIN))
    try:
        made = importlib.import_module("nagomi_worker.wire.protocol")
        # Types are worked out by their modules' names, when they are first used.
        made.decode_to_worker(b'{"type":"ping"}')
        made.decode_from_worker(b'{"type":"pong"}')
    finally:
        sys.path.remove(os.fspath(PLAIN))
        for name in [name for name in sys.modules if name.startswith(names)]:
            del sys.modules[name]
        sys.modules.update(real)
        sys.modules["nagomi_worker"].wire = real["nagomi_worker.wire"]  # type: ignore[attr-defined]
    return made


def outcome(module: Any, way: str, line: bytes) -> tuple[Any, ...]:
    """What a line is taken for; of what is no JSON, the two tell details in words of their own."""
    try:
        message = getattr(module, f"decode_{way}")(line)
    except module.BadMessage as exc:
        said = str(exc)
        return type(exc).__name__, said.partition(":")[0] if "not JSON" in said else said
    return repr(message), message is not None and module.encode(message)


def test_the_plain_modules_are_in_use(plain: ModuleType) -> None:
    assert plain is not protocol
    assert "plain" in plain.CAPABILITIES and "plain" not in protocol.CAPABILITIES
    assert set(plain.CAPABILITIES) - {"plain"} == set(protocol.CAPABILITIES)


@pytest.mark.parametrize(("way", "line"), ALL)
@pytest.mark.requirement("N-100", "N-108")
def test_golden_lines_are_understood_and_said_alike(
    plain: ModuleType, way: str, line: bytes
) -> None:
    assert outcome(plain, way, line) == outcome(protocol, way, line)
    assert outcome(plain, way, line)[1] == line + b"\n"


@pytest.mark.parametrize(
    "line",
    [
        b"", b"{", b"nul", b"[]", b"1", b'{"type":"ping"} x', b'\xef\xbb\xbf{"type":"ping"}',
        b'{"type":1}', b'{"a":1}', b'{"type":"nope","x":NaN}', b'{"type":"ping","x":[{}]}',
        b'{"type":"rest","session_id":"a","seconds":1}',
        b'{"type":"rest","session_id":"a","seconds":-1}',
        b'{"type":"rest","session_id":"a","seconds":Infinity}',
        b'{"type":"rest","session_id":"a","seconds":1' + b"0" * 400 + b"}",
        b'{"type":"rest","session_id":1' + b"0" * 400 + b"}",
        *(
            b'{"type":"rest","session_id":%d,"seconds":1}' % number
            for number in (2**64 - 1, 2**64, -(2**63), -(2**63) - 1)
        ),
        b'{"type":"send_input","session_id":"a","text":"\\ud800"}',
        b'{"type":"send_input","session_id":"a","text":"\\ud83d\\ude00\x7f"}',
        b'{"type":"send_input","session_id":"a","text":"\x01"}',
        b'{"type":"start_session","session_id":"a","cmd":"","cwd":1,"env":{},"cols":1,"rows":1}',
        b'{"type":"start_session","session_id":"a","cmd":"","cwd":null,"env":{"a":1},"cols":1,"rows":1}',
        b'{"type":"start_session","session_id":"a","cmd":"","cwd":null,"env":{},"cols":1,"rows":1,"guard":{}}',
    ],
)  # fmt: skip
def test_bad_lines_meet_the_same_complaint(plain: ModuleType, line: bytes) -> None:
    assert outcome(plain, "to_worker", line) == outcome(protocol, "to_worker", line)


@pytest.mark.parametrize(
    "line", [b"[" * 100_000, b'{"type":"send_input","session_id":"a","text":"\xff"}']
)
def test_what_only_one_of_them_calls_no_json_is_bad_for_both(
    plain: ModuleType, line: bytes
) -> None:
    for module in (plain, protocol):
        with pytest.raises(module.BadMessage):
            module.decode_to_worker(line)


@pytest.mark.parametrize(
    "sizes", ["[]", "[0]", "[4097]", "[1,2.5]", str([1] * 257), "{}", "[4096]"]
)
def test_a_raw_of_unusable_sizes_loses_the_stream(plain: ModuleType, sizes: str) -> None:
    line = b'{"type":"raw","session_id":"a","offset":1,"sizes":' + sizes.encode() + b"}"
    assert outcome(plain, "from_worker", line) == outcome(protocol, "from_worker", line)


@given(st.data())
def test_changed_messages_are_taken_alike(plain: ModuleType, data: st.DataObject) -> None:
    way, line = data.draw(st.sampled_from(ALL))
    message = json.loads(line)
    name = data.draw(st.sampled_from([*message, "unknown"]).filter(lambda one: one != "type"))
    change = data.draw(st.sampled_from(("drop", "put", "put into")))
    inside = message.get(name)
    if change == "drop":
        message.pop(name, None)
    elif change == "put into" and isinstance(inside, list) and inside:
        inside[-1] = data.draw(JSON)
    else:
        message[name] = data.draw(JSON)
    changed = json.dumps(message, ensure_ascii=data.draw(st.booleans())).encode()
    ours, its = outcome(plain, way, changed), outcome(protocol, way, changed)
    if message.get("type") in ("rest", "host"):  # a fraction may be written as 1e16 or 1e+16
        ours, its = ours[:1], its[:1]
    assert ours == its


@given(st.text(), st.text())
def test_any_text_is_said_alike(plain: ModuleType, session_id: str, text: str) -> None:
    fields: dict[str, Any] = {"session_id": session_id, "stream": "stdout", "chunk": text}
    assert plain.encode(plain.Output(**fields)) == protocol.encode(protocol.Output(**fields))


@pytest.fixture(scope="module")
def processes() -> ModuleType:
    """The module that stands in for psutil."""
    return importlib.import_module("nagomi_worker.plain.psutil")


def test_processes_are_seen_as_psutil_sees_them(processes: ModuleType) -> None:
    with subprocess.Popen(["sleep", "60"], env={"NAGOMI_X": "é"}) as child:
        until(lambda: psutil.Process(child.pid).name() == "sleep", "the start of it")
        ours, its = processes.Process(child.pid), psutil.Process(child.pid)
        seen: list[Callable[[Any], object]] = [
            lambda one: one.ppid(), lambda one: one.name(), lambda one: one.cmdline(),
            lambda one: one.environ(), lambda one: one.is_running(),
        ]  # fmt: skip
        assert [look(ours) for look in seen] == [look(its) for look in seen]
        assert child.pid in processes.pids()
        ours.send_signal(signal.SIGTERM)
        until(lambda: ours.status() == processes.STATUS_ZOMBIE, "the end of it")
        child.wait()
        assert not ours.is_running()
        with pytest.raises(processes.Error):
            ours.status()


@pytest.mark.skipif(shutil.which("ps") is None, reason="there is no ps on this machine")
def test_where_there_is_no_proc_ps_tells(processes: ModuleType) -> None:
    by_ps = processes._Ps()
    with subprocess.Popen(["sleep", "60"]) as child:
        until(lambda: by_ps.pids() and psutil.Process(child.pid).name() == "sleep", "its start")
        until(lambda: by_ps.look(child.pid).name == "sleep", "the name of what it runs")
        look = by_ps.look(child.pid)
        assert (look.name, look.parent, by_ps.words(child.pid)) == (
            "sleep",
            os.getpid(),
            ["sleep", "60"],
        )
        assert len(look.began.split()) == 5
        child.kill()
        until(lambda: by_ps.look(child.pid).state == "Z", "the end of it")
    until(lambda: child.pid not in by_ps.pids(), "its disappearance")
    with pytest.raises(processes.Error):
        by_ps.look(child.pid)
