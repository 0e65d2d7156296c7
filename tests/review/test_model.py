"""Diffs are read as git prints them: with and without hunks, cut off, of any kind of file."""

from __future__ import annotations

import pytest

from nagomi_tui.review.model import anchored, from_patch, parsed, word_marks

_RAW = (
    b":100644 100644 1111 2222 M\0a\0"
    b":100644 100644 1111 2222 R090\0old\0new\0"
    b":100644 120000 1111 2222 T\0type\0"
    b":000000 100644 0000 2222 A\0bytes\0"
    b"1\t1\ta\0"
    b"0\t0\t\0old\0new\0"
    b"1\t1\ttype\0"
    b"-\t-\tbytes\0"
    b"\0"
    b"diff --git a/a b/a\nindex 1111..2222 100644\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@ head\n"
    b"---- a line that begins like a header\n+@@ -1 +1 @@ so does this\n same\n"
    b"diff --git a/old b/new\nsimilarity index 90%\nrename from old\nrename to new\n"
    b"diff --git a/type b/type\ndeleted file mode 100644\n--- a/type\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    b"diff --git a/type b/type\nnew file mode 120000\n--- /dev/null\n+++ b/type\n@@ -0,0 +1 @@\n+y\n"
    b"\\ No newline at end of file\n"
    b"diff --git a/bytes b/bytes\nnew file mode 100644\nBinary files /dev/null and b/bytes differ\n"
)


def test_each_file_gets_its_hunks() -> None:
    a, renamed, other, binary = parsed(_RAW)
    assert a.hunks[0].lines == [
        "---- a line that begins like a header", "+@@ -1 +1 @@ so does this", " same",
    ]  # fmt: skip
    assert a.hunks[0].heading == "head"
    assert (renamed.path, renamed.old_path, renamed.hunks) == (b"new", b"old", [])
    assert [hunk.lines for hunk in other.hunks] == [["-x"], ["+y", "\\ No newline at end of file"]]
    assert (binary.kind, binary.status) == ("binary", "A")


@pytest.mark.parametrize("size", range(0, len(_RAW), 7))
def test_what_is_cut_off_anywhere_is_not_taken_for_whole(size: int) -> None:
    whole = parsed(_RAW)
    try:
        found = parsed(_RAW[:size], cut=True)
    except ValueError:
        return  # within the list of files: no output is cut there, for it is far longer
    for one, known in zip(found, whole, strict=False):
        assert one.loaded is False or one.hunks == known.hunks


def test_a_diff_that_was_printed_and_masked_is_read_as_it_is() -> None:
    (one, other) = from_patch(
        [
            "diff --git a/x b/y", "rename from x", "rename to y", "--- a/x", "+++ b/y",
            "@@ -4,2 +4,2 @@ def f():", "-key=***REDACTED***", "+key", " same",
            "diff --git a/z b/z", "deleted file mode 100644", "Binary files a/z and /dev/null differ",
        ]
    )  # fmt: skip
    assert (one.path, one.old_path, one.status, one.added, one.removed) == (b"y", b"x", "R", 1, 1)
    assert list(one.hunks[0].numbers()) == [(4, 0), (0, 4), (5, 5)]
    assert (other.status, other.kind) == ("D", "binary")


def test_words_that_differ_are_marked_only_in_lines_that_are_alike() -> None:
    lines = [" same", "-def one(a):", "-gone", "+def two(a):", "+quite another thing = 17"]
    assert word_marks(lines) == {1: [(4, 7)], 3: [(4, 7)]}


@pytest.mark.parametrize(
    ("lines", "wanted", "first", "found"),
    [
        (["a", "b", "c"], ["b"], 2, 2),
        (["x", "a", "b", "c"], ["b"], 2, 3),
        (["b", "a", "b", "c"], ["b"], 1, 3),
        (["b", "b", "b"], ["b"], 2, 2),
        (["a", "c"], ["b"], 2, 0),
        ([], ["b"], 1, 0),
        (["a"], [], 1, 0),
    ],
)
def test_lines_are_found_by_what_stands_around_them(
    lines: list[str], wanted: list[str], first: int, found: int
) -> None:
    assert anchored(lines, wanted, first, ["a"], ["c"]) == found
