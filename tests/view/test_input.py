"""The tokenizer and the decoder: what terminals send, cut anywhere."""

from __future__ import annotations

import pytest

from nagomi_tui.view.driver.strokes import ALT, CTRL, SHIFT, SUPER, Stroke, decode
from nagomi_tui.view.driver.tokens import Kind, Token, Tokenizer, Waiting

KEYS: list[tuple[bytes, list[Stroke]]] = [
    (b"a", [Stroke("a", 0, "a")]),
    (b"A", [Stroke("a", SHIFT, "A")]),
    (b" ", [Stroke("space", 0, " ")]),
    ("日é".encode(), [Stroke("日", 0, "日"), Stroke("é", 0, "é")]),
    ("👍".encode(), [Stroke("👍", 0, "👍")]),
    (b"\x03", [Stroke("c", CTRL)]),
    (b"\x1d", [Stroke("]", CTRL)]),
    (b"\x1c", [Stroke("\\", CTRL)]),
    (b"\x1f", [Stroke("_", CTRL)]),
    (b"\t", [Stroke("tab")]),
    (b"\r", [Stroke("enter")]),
    (b"\n", [Stroke("j", CTRL)]),
    (b"\x1b", [Stroke("escape")]),
    (b"\x1b\x1b", [Stroke("escape"), Stroke("escape")]),
    (b"\x7f", [Stroke("backspace")]),
    (b"\x08", [Stroke("h", CTRL)]),
    (b"\0", [Stroke("space", CTRL)]),
    # What Textual's own parser loses.
    (b"\x1bf", [Stroke("f", ALT, "f")]),
    (b"\x1bF", [Stroke("f", ALT | SHIFT, "F")]),
    (b"\x1b.", [Stroke(".", ALT, ".")]),
    (b"\x1b[", [Stroke("[", ALT, "[")]),
    (b"\x1bO", [Stroke("o", ALT | SHIFT, "O")]),
    (b"\x1b]", [Stroke("]", ALT, "]")]),
    (b"\x1b\r", [Stroke("enter", ALT)]),
    (b"\x1b1", [Stroke("1", ALT, "1")]),
    (b"\x1b\x7f", [Stroke("backspace", ALT)]),
    (b"\x1b\x01", [Stroke("a", ALT | CTRL)]),
    ("\x1bé".encode(), [Stroke("é", ALT, "é")]),
    (b"\x1b[1;2R", [Stroke("f3", SHIFT)]),
    (b"\x1b[A", [Stroke("up")]),
    (b"\x1bOA", [Stroke("up")]),
    (b"\x1b[27;2;13~", [Stroke("enter", SHIFT)]),
    (b"\x1b[102;3;102u", [Stroke("f", ALT, "f")]),
    (b"\x1b[97;1:3u", [Stroke("a", 0, "a", "release")]),
    # Cursor, editing and function keys.
    (b"\x1b[1;3A", [Stroke("up", ALT)]),
    (b"\x1b\x1b[A", [Stroke("up", ALT)]),
    (b"\x1b\x1bOB", [Stroke("down", ALT)]),
    (b"\x1b[1;6D", [Stroke("left", CTRL | SHIFT)]),
    (b"\x1b[H", [Stroke("home")]),
    (b"\x1b[1~", [Stroke("home")]),
    (b"\x1b[4~", [Stroke("end")]),
    (b"\x1b[3;5~", [Stroke("delete", CTRL)]),
    (b"\x1b[5~", [Stroke("pageup")]),
    (b"\x1bOP", [Stroke("f1")]),
    (b"\x1b[[A", [Stroke("f1")]),
    (b"\x1b[11~", [Stroke("f1")]),
    (b"\x1b[15~", [Stroke("f5")]),
    (b"\x1b[24~", [Stroke("f12")]),
    (b"\x1b[Z", [Stroke("tab", SHIFT)]),
    (b"\x1b[a", [Stroke("up", SHIFT)]),
    (b"\x1bOd", [Stroke("left", CTRL)]),
    (b"\x1b[7^", [Stroke("home", CTRL)]),
    (b"\x1b[3$", [Stroke("delete", SHIFT)]),
    (b"\x1bOM", [Stroke("kp_enter")]),
    (b"\x1bOj", [Stroke("kp_multiply", 0, "*")]),
    (b"\x9bA", [Stroke("up")]),
    (b"\x8fP", [Stroke("f1")]),
    # modifyOtherKeys.
    (b"\x1b[27;5;97~", [Stroke("a", CTRL, "a")]),
    (b"\x1b[27;6;65~", [Stroke("a", CTRL | SHIFT, "A")]),
    (b"\x1b[27;5;9~", [Stroke("tab", CTRL)]),
    (b"\x1b[27;3;13~", [Stroke("enter", ALT)]),
    # The kitty protocol.
    (b"\x1b[27u", [Stroke("escape")]),
    (b"\x1b[13;2u", [Stroke("enter", SHIFT)]),
    (b"\x1b[105;5u", [Stroke("i", CTRL, "i")]),
    (b"\x1b[97;6u", [Stroke("a", CTRL | SHIFT, "A")]),
    (b"\x1b[97:65;2u", [Stroke("a", SHIFT, "A")]),
    (b"\x1b[49:33;2u", [Stroke("1", SHIFT, "!")]),
    (b"\x1b[97;;97u", [Stroke("a", 0, "a")]),
    (b"\x1b[97;9u", [Stroke("a", SUPER, "a")]),
    (b"\x1b[97;65u", [Stroke("a", 0, "A")]),
    (b"\x1b[97;133u", [Stroke("a", CTRL, "a")]),
    (b"\x1b[97;1:2u", [Stroke("a", 0, "a", "repeat")]),
    (b"\x1b[1;1:3A", [Stroke("up", 0, "", "release")]),
    (b"\x1b[3;5:2~", [Stroke("delete", CTRL, "", "repeat")]),
    (b"\x1b[0;;12354u", [Stroke("あ", 0, "あ")]),
    (b"\x1b[32;;32u", [Stroke("space", 0, " ")]),
    (b"\x1b[57376u", [Stroke("f13")]),
    (b"\x1b[57399u", [Stroke("kp_0", 0, "0")]),
    (b"\x1b[57414u", [Stroke("kp_enter")]),
    (b"\x1b[57419u", [Stroke("up")]),
    (b"\x1b[57421;5u", [Stroke("pageup", CTRL)]),
    (b"\x1b[57441;2u", [Stroke("left_shift", SHIFT)]),
    (b"\x1b[57358u", [Stroke("capslock")]),
]
REPLIES = [
    b"\x1b[?62;22c", b"\x1b[>1;10;0c", b"\x1b[=0c", b"\x1b[0n", b"\x1b[?997;1n", b"\x1b[24;80R",
    b"\x1b[?1u", b"\x1b[?2026;2$y", b"\x1b[4;2$y", b"\x1b[8;24;80t", b"\x1b[48;24;80;480;800t",
    b"\x1b[>4;2m", b"\x1b]11;rgb:1010/1010/1010\x1b\\", b"\x1b]10;rgb:d0/d0/d0\x07",
    b"\x1bP>|kitty(0.40)\x1b\\", b"\x1bP1$r0m\x1b\\", b"\x1b_Gi=1;OK\x1b\\",
]  # fmt: skip


def strokes(tokens: list[Token]) -> list[Stroke]:
    return [
        stroke
        for token in tokens
        if token.kind in (Kind.TEXT, Kind.KEY)
        for stroke in decode(token)
    ]


@pytest.mark.parametrize(("data", "want"), KEYS, ids=[repr(data) for data, _ in KEYS])
def test_keys_cut_at_every_byte(data: bytes, want: list[Stroke]) -> None:
    for cut in range(len(data) + 1):
        tokens = Tokenizer()
        got = tokens.feed(data[:cut]) + tokens.feed(data[cut:]) + tokens.flush()
        assert strokes(got) == want, cut
        assert tokens.waiting is Waiting.NOTHING


@pytest.mark.parametrize("data", REPLIES, ids=repr)
def test_replies_are_never_keys_wherever_they_are_cut(data: bytes) -> None:
    for cut in range(len(data) + 1):
        tokens = Tokenizer()
        got = tokens.feed(data[:cut]) + tokens.feed(data[cut:]) + tokens.feed(b"x")
        assert [token.kind for token in got] == [Kind.REPLY, Kind.TEXT], cut
        assert got[0].data == data


def test_a_cursor_report_is_a_reply_only_when_it_is_owed_or_can_be_no_key() -> None:
    tokens = Tokenizer()
    assert tokens.feed(b"\x1b[1;2R")[0].kind is Kind.KEY
    tokens.cursor_reports_owed = 1
    assert [token.kind for token in tokens.feed(b"\x1b[1;2R\x1b[1;2R")] == [Kind.REPLY, Kind.KEY]


def test_every_kind_in_one_read_comes_in_order() -> None:
    got = Tokenizer().feed("é\x1b[A\x1b[I\x1b[<0;3;4M\x1b[?1u\x1b[200~p\x1b[201~z".encode())
    assert [token.kind for token in got] == [
        Kind.TEXT, Kind.KEY, Kind.FOCUS, Kind.MOUSE, Kind.REPLY, Kind.PASTE, Kind.TEXT,
    ]  # fmt: skip


def test_a_1_mib_paste_in_small_reads_is_one_token() -> None:
    text = ("a日\x1b[A\x1b" * 120_000).encode()[: 1024 * 1024]
    data = b"\x1b[200~" + text + b"\x1b[201~"
    tokens = Tokenizer()
    got = [token for at in range(0, len(data), 4095) for token in tokens.feed(data[at : at + 4095])]
    assert got == [Token(Kind.PASTE, text)]


@pytest.mark.parametrize("cut", range(13))
def test_the_marks_of_a_paste_may_be_cut(cut: int) -> None:
    data = b"\x1b[200~x\x1b[201~"
    tokens = Tokenizer()
    assert tokens.feed(data[:cut]) + tokens.feed(data[cut:]) == [Token(Kind.PASTE, b"x")]


def test_a_paste_whose_end_never_comes_is_delivered_by_flush() -> None:
    tokens = Tokenizer()
    assert tokens.feed(b"\x1b[200~abc\x1b[2") == []
    assert tokens.waiting is Waiting.PASTE
    assert tokens.flush() == [Token(Kind.PASTE, b"abc\x1b[2")]
    assert tokens.feed(b"x") == [Token(Kind.TEXT, b"x")]


@pytest.mark.parametrize(
    ("data", "want"),
    [
        (b"\x1b", Waiting.ESCAPE),
        (b"\x1b\x1b", Waiting.ESCAPE),
        (b"\x1b[", Waiting.ESCAPE),
        (b"\x1bO", Waiting.ESCAPE),
        (b"\x1b[1;5", Waiting.SEQUENCE),
        (b"\x1b[<0;1", Waiting.SEQUENCE),
        (b"\xe6\x97", Waiting.SEQUENCE),
        (b"\x1b]11;rgb", Waiting.STRING),
        (b"\x1bP1abc\x1b", Waiting.STRING),
        (b"", Waiting.NOTHING),
    ],
)
def test_what_is_open_is_waited_for(data: bytes, want: Waiting) -> None:
    tokens = Tokenizer()
    assert tokens.feed(data) == []
    assert tokens.waiting is want


@pytest.mark.parametrize("data", [b"\x1b[1;5", b"\x1b]11;rgb", b"\xe6\x97", b"\x1b[<0;1"])
def test_a_broken_sequence_is_dropped_and_never_an_escape(data: bytes) -> None:
    tokens = Tokenizer()
    assert tokens.feed(data) + tokens.flush() == []
    assert tokens.feed(b"x") == [Token(Kind.TEXT, b"x")]


def test_alt_with_a_key_that_begins_no_reply_is_not_waited_for() -> None:
    got = Tokenizer().feed(b"\x1bPabc")
    assert strokes(got)[0] == Stroke("p", ALT | SHIFT, "P")
    assert strokes(got)[1:] == [Stroke(char, 0, char) for char in "abc"]


def test_bytes_that_are_no_text_are_dropped() -> None:
    assert strokes(Tokenizer().feed(b"a\xff\x80b")) == [Stroke("a", 0, "a"), Stroke("b", 0, "b")]


def test_backspace_is_what_the_terminal_says_it_is() -> None:
    token = Token(Kind.KEY, b"\x08")
    assert decode(token, erase=8) == [Stroke("backspace")]
    assert decode(token) == [Stroke("h", CTRL)]
