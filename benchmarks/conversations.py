"""What a long conversation costs: opening 100,000 records, and building a request of 2,000 messages.

Next to it stands what reading each line with `json.loads` takes, of the same file in the same run.
"""

from __future__ import annotations

import json
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from nagomi_tui.agent.context.sizes import estimate
from nagomi_tui.agent.conversations.store import Conversations
from nagomi_tui.agent.providers.chat_api import chat_body
from nagomi_tui.agent.providers.interface import ModelRequest
from nagomi_tui.agent.providers.messages_api import messages_body
from nagomi_tui.masking import mask

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.agent.providers.interface import Message

_TEXT = "Read the log, told what failed, 直して、もう一度テストを回した。 " * 4


def main(arguments: list[str]) -> None:
    """Run `conversations [records=100000] [rounds=7]`."""
    options = dict(one.split("=", 1) for one in arguments)
    records, rounds = int(options.get("records", "100000")), int(options.get("rounds", "7"))
    with tempfile.TemporaryDirectory() as folder:
        conversations = Conversations(Path(folder), now=time.time, mask=mask)
        id = conversations.create("long").id
        path = next(Path(folder).rglob(f"{id}.jsonl"))
        _write(path, records)
        plain = _seconds(rounds, lambda: [json.loads(line) for line in path.open("rb")])
        size = path.stat().st_size / 1e6
        print(f"{records:,} records, {size:.0f} MB; json.loads of each line {plain * 1e3:.0f} ms")
        _tell(
            "opened, nothing summed up", plain, _seconds(rounds, lambda: _open(conversations, id))
        )
        with conversations.open(id) as conversation:
            conversation.compact("So far.", conversation.total() - 2000)
            built = _seconds(rounds, conversation.messages)
            print(
                f"a request of {len(conversation.messages()):,} messages built {built * 1e3:.2f} ms"
            )
            _tell_bodies(conversation.messages(), rounds)
        _tell("opened, all but 2,000 messages summed up", plain,
              _seconds(rounds, lambda: _open(conversations, id)))  # fmt: skip


def _tell_bodies(messages: list[Message], rounds: int) -> None:
    """Tell what it takes to make of a request what goes to a server, and to estimate it."""
    request = ModelRequest(system="s", messages=messages)
    for what, work in (
        ("the body of the Messages API", partial(messages_body, request)),
        ("the body of chat completions", partial(chat_body, request)),
        ("the estimate of its tokens", partial(estimate, request)),
    ):
        print(f"{what}: {_seconds(rounds, work) * 1e3:.1f} ms")


def _write(path: Path, records: int) -> None:
    """Write turns of seven records: two tools at once, between a question and an answer."""
    with path.open("wb") as file:
        for number in range(records // 7):
            for record in _turn(number):
                line = json.dumps({**record, "ts": 1_790_000_000.5 + number}, ensure_ascii=False)
                file.write(line.encode() + b"\n")


def _turn(number: int) -> list[dict[str, object]]:
    ids = [f"toolu_{number}_{which}" for which in "ab"]
    uses = [{"type": "tool_use", "tool_use_id": id, "name": "read_file", "input": {"path": "a.log"}}
            for id in ids]  # fmt: skip
    results = [{"type": "tool_result", "tool_use_id": id, "content": _TEXT * 2} for id in ids]
    said = {"type": "assistant", "content": [{"type": "text", "text": _TEXT}]}
    return [{"type": "user", "content": f"{number} {_TEXT}"}, said, *uses, *results, said]


def _open(conversations: Conversations, id: str) -> None:
    with conversations.open(id) as conversation:
        conversation.messages()


def _seconds(rounds: int, work: Callable[[], object]) -> float:
    """Return the median of the processor's seconds."""
    taken = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return median(taken)


def _tell(what: str, plain: float, seconds: float) -> None:
    print(f"{what}: {seconds * 1e3:.0f} ms, {seconds / plain:.2f} of json.loads", flush=True)
