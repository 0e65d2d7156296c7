"""Lines that may still grow: nothing is shown that turns out to be the beginning of a secret."""

from __future__ import annotations

import pytest

from nagomi_tui.masking import REDACTED, mask_growing, mask_line, mask_screen, may_grow
from tests.helpers.corpora import samples
from tests.helpers.secrets import SECRETS

TELLS_NOTHING = 6
"""Letters of a beginning that say nothing yet: `ghp_a`, `hunte`."""

RESTING = [
    "$ ",
    "Continue? [y/N] ",
    "Do you trust the API key? (y/N)",
    "user@host:~/proj2$ ",
    "the token was refreshed",
    "│ > hello world",
    "Password: ",
    "❯ 2. Yes, and don't ask again",
    "src/foo2/bar_baz.py",
    "100% of 24 files",
]


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.requirement("N-86")
def test_no_beginning_of_a_secret_is_shown(kind: str) -> None:
    around, value = SECRETS[kind]
    before, _, _ = around.partition("{}")
    for length in range(1, len(value) + 1):
        shown = mask_growing([before + value[:length]])[0]
        assert value[:TELLS_NOTHING] not in shown


@pytest.mark.parametrize("line", RESTING)
def test_what_a_prompt_says_stays(line: str) -> None:
    assert mask_growing([line]) == [line]


@pytest.mark.requirement("N-86")
def test_rest_of_a_token_behind_the_cursor_goes_with_it() -> None:
    key = SECRETS["github"][1]
    shown = mask_growing([f"│ > {key[:12]}"], [f"{key[12:20]}  │"])
    assert shown == [f"│ > {REDACTED}", "  │"]


@pytest.mark.requirement("N-93")
def test_rows_of_a_growing_line_stay_as_many() -> None:
    key = SECRETS["anthropic"][1]
    assert mask_growing(["export KEY=", key[:9]]) == ["export KEY=", REDACTED]


def test_only_a_line_that_grew_is_doubted_for_its_words() -> None:
    line = "refreshed the token of run 4a1b2c"
    assert may_grow(line, grew=True) and not may_grow(line, grew=False)
    assert may_grow("cloning with " + SECRETS["github"][1][:9], grew=False)
    assert not may_grow("all is well", grew=True)


@pytest.mark.requirement("N-86")
def test_lines_of_a_screen_are_masked_as_if_they_went_on() -> None:
    key = SECRETS["github"][1]
    assert mask_screen(["one", f"> {key[:10]}", f"> {key}"]) == [
        "one",
        f"> {REDACTED}",
        f"> {REDACTED}",
    ]


@pytest.mark.requirement("N-86")
def test_growing_line_shows_nothing_that_the_whole_line_hides() -> None:
    shown = []
    for sample in samples("secrets-held"):
        for line in sample.text.split("\n"):
            masked, whole = mask_growing([line])[0], mask_line(line)
            hidden = [secret for secret in sample.secrets if secret in line and secret not in whole]
            shown += [(line, secret) for secret in hidden if secret in masked]
    assert shown == []
