"""What workers say went wrong, newer and older ones, ours and others'."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.masking import REDACTED
from nagomi_tui.orchestrator.workers.link import told_fault
from nagomi_tui.text import words
from nagomi_worker.confine.probe import refused
from nagomi_worker.pty.command import StartError, launch
from nagomi_worker.sessions.ring import BadCheckpoint
from nagomi_worker.sessions.session import TooMuch
from nagomi_worker.wire import protocol
from tests.helpers.worker import start_order

if TYPE_CHECKING:
    from nagomi_tui.text.words import Said
    from nagomi_worker.runtime.limits import WorkerFault

_FAULT = "The command {word} was not found. Install it, or check PATH."


def _said(fault: Said, language: str) -> str:
    return words.of(language).say("{fault}", fault=fault)


def test_a_fault_is_said_in_the_language_of_whoever_asks() -> None:
    with pytest.raises(StartError) as caught:
        launch(start_order("a", "no-such-command"))
    fault = told_fault(str(caught.value), caught.value.sentence, caught.value.values)
    said = "The command no-such-command was not found. Install it, or check PATH."
    assert str(fault) == _said(fault, "en") == said
    assert _said(fault, "ja").startswith("コマンド no-such-command が見つかりません。")


def test_an_older_worker_says_a_finished_sentence_only() -> None:
    line = b'{"type":"error","session_id":"a","message":"It {is} odd.","recoverable":false}\n'
    error = protocol.decode_from_worker(line)
    assert isinstance(error, protocol.Error)
    fault = told_fault(error.message, error.sentence, error.values)
    assert _said(fault, "ja") == _said(fault, "en") == "It {is} odd."


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (refused(errno.ENOSYS, "mount_setattr: no"), "Linux 5.12 以上"),
        (refused(errno.EPERM, "/proc: no"), "厳格モードにできません。"),
        (TooMuch("The command does not read its input. Stop it, or type less."), "読んでいません"),
        (
            BadCheckpoint(
                "A checkpoint at {offset} was dropped: no chunk of output ends there.", offset=3
            ),
            "位置 3 の",
        ),
    ],
)
def test_other_faults_of_a_worker_are_said_in_japanese_too(fault: WorkerFault, said: str) -> None:
    assert said in _said(told_fault(str(fault), fault.sentence, fault.values), "ja")


@pytest.mark.parametrize(
    ("sentence", "values"),
    [
        ("{word:>999999999}", {"word": "x"}),
        ("{word.__class__}", {"word": "x"}),
        ("{word!r}", {"word": "x"}),
        ("{}", {"": "x"}),
        ("{word", {"word": "x"}),
        ("{other}", {"word": "x"}),
        ("Something else.", {}),
        (_FAULT, {}),
    ],
)
def test_a_sentence_counts_only_if_it_gives_the_message(
    sentence: str, values: dict[str, str]
) -> None:
    assert str(told_fault("As it was.", sentence, values)) == "As it was."


def test_secrets_are_masked_in_every_language() -> None:
    secret = "ghp_" + "a1B2" * 9
    fault = told_fault(_FAULT.format(word=secret), _FAULT, {"word": secret})
    for language in ("en", "ja"):
        assert secret not in _said(fault, language)
        assert REDACTED in _said(fault, language)
