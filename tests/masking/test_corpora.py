"""Masking on what programs really print: every secret goes, and what only looks like one stays.

Of each kind there are two files. Rules were written with a look at the texts that were `seen`; those
that are `held` back were written before the rules, and tell how rules do on what they do not know.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from nagomi_tui.masking import REDACTED, Masker, mask, mask_lines
from tests.helpers.corpora import Sample, cut, filled_up, samples

SEEDS = (1, 2, 3)
KNOWN_LEAKS = (
    "base64 -d",  # A login in base64 with no word beside it that says so.
    "seed: ",  # Most seeds are those of random numbers.
    "(password)",  # What it is stands behind it.
    "+ echo",  # What it is piped into stands in the next line of a trace.
    '" * "',  # Columns of one program's file.
    "OAuth1(",  # The second of two arguments that have no names.
    "gpgconf passphrase=",  # Words after other words: where they end is not told.
    "login: bob password:",
    "authtoken.secret",  # The name of a file, and what stands in it.
)
KNOWN_FALSE = ("The passphrase: a story", "page_token: ey")


def _filled(name: str) -> list[Sample]:
    return [sample for seed in SEEDS for sample in samples(name, seed=seed)]


@pytest.mark.requirement("N-86")
def test_secrets_are_masked_as_their_programs_print_them() -> None:
    seen = _filled("secrets-seen")
    assert [one.text for one in seen if not one.secrets] == []
    assert [(one.text, leaks) for one in seen if (leaks := one.leaks(mask(one.text)))] == []


@pytest.mark.requirement("NB-1", "NB-2")
def test_what_only_looks_like_a_secret_stays() -> None:
    touched = [(one.text, mask(one.text)) for one in _filled("harmless-seen")]
    assert [(text, masked) for text, masked in touched if masked != text] == []


@pytest.mark.requirement("N-86")
def test_secrets_held_back_are_masked_but_for_those_known() -> None:
    held = _filled("secrets-held")
    assert len(held) >= 150 * len(SEEDS) and all(sample.secrets for sample in held)
    leaking = [sample.text for sample in held if sample.leaks(mask(sample.text))]
    assert [text for text in leaking if not any(known in text for known in KNOWN_LEAKS)] == []


@pytest.mark.parametrize("name", ["secrets-seen", "secrets-held"])
@pytest.mark.requirement("N-93")
def test_words_beside_a_secret_stay(name: str) -> None:
    lost = [(one.text, words) for one in samples(name) if (words := one.lost(mask(one.text)))]
    assert lost == []


@pytest.mark.requirement("NB-1", "NB-2")
def test_harmless_texts_held_back_stay_but_for_those_known() -> None:
    held = _filled("harmless-held")
    assert len(held) >= 150 * len(SEEDS)
    touched = [sample.text for sample in held if mask(sample.text) != sample.text]
    assert [text for text in touched if not text.startswith(KNOWN_FALSE)] == []


@pytest.mark.parametrize("name", ["secrets-seen", "secrets-held"])
@pytest.mark.requirement("N-92", "N-93")
def test_masked_output_keeps_its_lines_and_is_not_masked_again(name: str) -> None:
    for sample in samples(name):
        lines = sample.text.split("\n")
        once = mask_lines(lines)
        assert len(once) == len(lines)
        assert mask_lines(once) == once


@pytest.mark.parametrize("name", ["secrets-seen", "harmless-held"])
@pytest.mark.requirement("NB-3")
def test_lines_glanced_at_together_are_masked_as_one_by_one(name: str) -> None:
    lines = [line for sample in samples(name) for line in sample.text.split("\n")]
    one_by_one, together = Masker(), Masker()
    masked: list[str] = []
    for line in lines:
        masked.append(one_by_one.line(line))
        one_by_one.cover(masked)
    assert together.lines(lines) == masked
    assert together.state == one_by_one.state


@pytest.mark.parametrize(
    ("name", "rows", "leaking", "lost"),
    [
        ("secrets-seen", partial(cut, width=40), 146, None),
        ("secrets-held", partial(cut, width=40), 19, None),
        ("secrets-seen", partial(filled_up, width=50), 70, 34),
        ("secrets-held", partial(filled_up, width=50), 13, 2),
    ],
)
@pytest.mark.requirement("NB-4")
def test_of_wrapped_secrets_no_more_leak_than_are_known(
    name: str, rows: Callable[[str], list[str]], leaking: int, lost: int | None
) -> None:
    """Whoever masks more of them lowers the number."""
    wrapped = [(one, rows(one.text)) for one in samples(name)]
    masked = [(one, mask_lines(cut)) for one, cut in wrapped if cut != one.text.split("\n")]
    joined = [(one, "".join(row.removeprefix("  ") for row in out)) for one, out in masked]
    assert len(joined) > 200
    assert sum(bool(one.leaks(out)) for one, out in joined) == leaking
    if lost is not None:
        assert sum(bool(one.lost("\n".join(out))) for one, out in masked) == lost


@pytest.mark.slow
@pytest.mark.requirement("NB-4")
def test_secrets_wrapped_at_the_edge_of_a_terminal_are_masked() -> None:
    leaking = []
    for sample in _filled("secrets-seen"):
        masker, out = Masker(), ""
        for line in sample.text.split("\n"):
            rows = [line[at : at + 25] for at in range(0, len(line), 25)] or [""]
            out += "".join(masker.rows(rows))
        if sample.leaks(out) or REDACTED not in out:
            leaking.append((sample.text, out))
    assert leaking == []
