"""Links in plain text, and which of them may be opened."""

from __future__ import annotations

import pytest

from nagomi_tui.text.selection import At, grid_row, link_at, links_of, may_open, urls
from tests.helpers.grid import Page


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://example.com/a?b=c#d.", ["https://example.com/a?b=c#d"]),
        ("(https://example.com/x_(y))", ["https://example.com/x_(y)"]),
        ("[text](http://example.com/)", ["http://example.com/"]),
        ("**https://example.com**, then", ["https://example.com"]),
        ('<https://a.example>, "http://b.example"', ["https://a.example", "http://b.example"]),
        ("https://example.com/です。", ["https://example.com/"]),
        ("http://[::1]:8080/x", ["http://[::1]:8080/x"]),
        ("file:///tmp/a.txt: 3", ["file:///tmp/a.txt"]),
        ("mailto:you@example.com!", ["mailto:you@example.com"]),
        ("HTTPS://EXAMPLE.COM", ["HTTPS://EXAMPLE.COM"]),
        ("http:// https://. ftp://example.com javascript:x xhttp://no", []),
        ("https://a.example/,https", ["https://a.example/,https"]),
    ],
)
def test_links_end_before_punctuation(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in urls(text)] == found


PAGE = Page(
    {
        1: grid_row([("go https://exam", 1)], wrapped=True),
        2: grid_row([("ple.com/path, b", 1)], wrapped=True),
        3: grid_row([("ye", 1), ("日本", 2)]),
    },
    1,
    3,
)


def test_a_link_goes_on_over_wrapped_rows() -> None:
    (link,) = links_of(PAGE, 3)
    assert (link.target, link.first, link.last) == (
        "https://example.com/path", At(1, 3), At(2, 11),
    )  # fmt: skip
    assert {link_at(PAGE, At(*at)) for at in ((1, 3), (2, 0), (2, 11))} == {link}
    assert link_at(PAGE, At(1, 2)) is None
    assert link_at(PAGE, At(2, 12)) is None


@pytest.mark.parametrize(
    ("target", "may"),
    [
        ("https://example.com", True),
        ("mailto:a@example.com", True),
        ("file:///etc/hosts", True),
        ("file://localhost/etc/hosts", True),
        ("file://desk/etc/hosts", True),
        ("file://elsewhere/etc/hosts", False),
        ("javascript:alert(1)", False),
        ("ssh://example.com", False),
        ("-x", False),
        ("https://exa\nmple", False),
        ("http://[broken", False),
    ],
)
def test_only_links_of_known_kinds_are_opened(target: str, may: bool) -> None:
    assert may_open(target, host="desk") is may
