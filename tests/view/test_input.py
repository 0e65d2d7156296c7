"""The tokenizer and the decoder: what terminals send, cut anywhere."""

from __future__ import annotations

import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nagomi_tui.text.key_names import ALT, CTRL, HYPER, SHIFT, SUPER
from nagomi_tui.view.driver.strokes import Stroke, decode, key_name, mouse_report
from nagomi_tui.view.driver.tokens import STRING_LIMIT, Kind, Patience, Token, Tokenizer, Waiting
from tests.helpers.examples import examples

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
    (b"\x1b[97;17u", [Stroke("a", HYPER, "a")]),
    (b"\x1b[97;33u", [Stroke("a", ALT, "a")]),
    (b"\x1b[121;4;123u", [Stroke("y", SHIFT, "{")]),
    (b"\x1b[113;7;64u", [Stroke("q", 0, "@")]),
    (b"\x1b[E", [Stroke("kp_begin")]),
    (b"\x1b[57427;129~", [Stroke("kp_begin")]),
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
    (b"\x1b[1089::99;5u", [Stroke("с", CTRL, "с", base="c")]),
    (b"\x1b[1089:1057:99;6u", [Stroke("с", CTRL | SHIFT, "С", base="c")]),
    (b"\x1b[97::113;5u", [Stroke("a", CTRL, "a", base="q")]),
    (b"\x1b[27;5;1089~", [Stroke("с", CTRL, "с")]),
]
REPLIES = [
    b"\x1b[?62;22c", b"\x1b[>1;10;0c", b"\x1b[=0c", b"\x1b[0n", b"\x1b[?997;1n", b"\x1b[24;80R",
    b"\x1b[?1u", b"\x1b[?2026;2$y", b"\x1b[4;2$y", b"\x1b[8;24;80t", b"\x1b[48;24;80;480;800t",
    b"\x1b[>4;2m", b"\x1b]11;rgb:1010/1010/1010\x1b\\", b"\x1b]10;rgb:d0/d0/d0\x07",
    b"\x1bP>|kitty(0.40)\x1b\\", b"\x1bP1$r0m\x1b\\", b"\x1b_Gi=1;OK\x1b\\",
    b"\x1b]lshell\x1b\\", b"\x1b]Lshell\x1b\\", b"\x1b[2;1;1x", b"\x1b[1;2*y",
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


@pytest.mark.parametrize(
    "way_out", [b"\x1b\x1b", b"\x1b[27u", b"\x1b[27;1:1u", b"\x03", b"\x1b[99;5u"]
)
def test_a_paste_whose_end_never_comes_ends_by_a_key(way_out: bytes) -> None:
    tokens = Tokenizer()
    assert tokens.feed(b"\x1b[200~abc\r") + tokens.feed(b"def\r") == []
    assert tokens.waiting is Waiting.NOTHING
    assert tokens.feed(way_out) == [Token(Kind.PASTE, b"abc\rdef\r")]
    assert tokens.feed(b"x") == [Token(Kind.TEXT, b"x")]


def test_a_lone_escape_ends_a_paste_and_may_still_be_its_end_mark() -> None:
    for rest in (b"", b"[201~", b"[201~x", b"x"):
        tokens = Tokenizer()
        tokens.feed(b"\x1b[200~abc")
        assert tokens.feed(b"\x1b") == [] and tokens.waiting is Waiting.STUCK
        assert tokens.flush() == [Token(Kind.PASTE, b"abc")]
        assert tokens.feed(rest) == [Token(Kind.TEXT, b"x")] * rest.endswith(b"x")


def test_a_very_long_paste_is_handed_on_in_pieces_and_no_byte_is_typed() -> None:
    tokens, line = Tokenizer(), b"0123456789abcde\r" * 4096
    got = tokens.feed(b"\x1b[200~")
    for _ in range(300):
        got += tokens.feed(line)
    got += tokens.feed(b"\x1b[201~x")
    assert [token.kind for token in got] == [Kind.PASTE] * 3 + [Kind.TEXT]
    assert b"".join(token.data for token in got) == line * 300 + b"x"


@pytest.mark.parametrize(
    ("data", "want"),
    [
        (b"\x1b", Waiting.ESCAPE),
        (b"\x1b\x1b", Waiting.ESCAPE),
        (b"\x1b[", Waiting.OPENER),
        (b"\x1bO", Waiting.OPENER),
        (b"\x1b]", Waiting.OPENER),
        (b"\x1b[1;5", Waiting.SEQUENCE),
        (b"\x1b[<0;1", Waiting.SEQUENCE),
        (b"\xe6\x97", Waiting.SEQUENCE),
        (b"\x1b]11;rgb", Waiting.SEQUENCE),
        (b"\x1bP1abc\x1b", Waiting.SEQUENCE),
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


@pytest.mark.parametrize("kitty", [False, True])
def test_a_reply_that_breaks_off_in_another_is_never_typed(kitty: bool) -> None:
    for begun in (b"\x1b]11;rgb:1", b"\x1bP>|ki", b"\x1b_Gi=31;O", b"\x1b]lshe"):
        tokens = Tokenizer()
        tokens.kitty = kitty
        got = tokens.feed(begun) + tokens.feed(b"\x1b[?62;22c")
        assert got == [Token(Kind.REPLY, b"\x1b[?62;22c")]
        assert tokens.kitty is kitty


@pytest.mark.parametrize("kitty", [False, True])
@pytest.mark.parametrize(
    "follows", [b"\x1b[<35;2;2M", b"\x1b[?62;22c", b"\x1b[A", b"\x1b]11;rgb:1/1/1\x07", b"\r"]
)
def test_a_report_that_breaks_off_in_another_sequence_is_never_typed(
    kitty: bool, follows: bytes
) -> None:
    for begun in (
        b"\x1b[<35;1",
        b"\x1b[<",
        b"\x1b[?62;",
        b"\x1b[48;30;",
        b"\x1b[1;5",
        b"\x1b[?2026;2$",
    ):
        for data in ([begun, follows], [begun + follows]):
            tokens = Tokenizer()
            tokens.kitty = kitty
            got = [token for piece in data for token in tokens.feed(piece)]
            assert [token.data for token in got] == [follows], begun


def test_alt_with_a_key_that_begins_no_reply_is_not_waited_for() -> None:
    got = Tokenizer().feed(b"\x1bPabc")
    assert strokes(got)[0] == Stroke("p", ALT | SHIFT, "P")
    assert strokes(got)[1:] == [Stroke(char, 0, char) for char in "abc"]


@pytest.mark.parametrize(
    "junk",
    [
        b"\xff\x80",
        b"\xed\xa0\x80",  # half of a surrogate pair
        b"\xe0\x80\xaf",  # longer than need be
        b"\xf0\x80\x80\xaf",
        b"\xf4\x90\x80\x80",  # beyond Unicode
        b"\x1b[55296u",
        b"\x1b[0;;55296u",
        b"\x1b[1114112u",
        b"\x1b[" + b"9" * 5_000 + b"u",
        b"\x1b[27;5;55296~",
        b"\x1b[27;5;" + b"9" * 5_000 + b"~",
        b"\x1b[" + b"9" * 5_000 + b"~",
        b"\x1b[<" + b"9" * 5_000 + b";1;1M",
        b"\x1b[?" + b"9" * 5_000 + b"u",
    ],
)
def test_what_is_no_character_and_no_key_is_dropped(junk: bytes) -> None:
    tokens = Tokenizer()
    tokens.kitty = True  # a broken sequence has no Escape
    got = tokens.feed(b"a" + junk) + tokens.feed(b"b")
    assert strokes(got) == [Stroke("a", 0, "a"), Stroke("b", 0, "b")]
    assert not [mouse_report(token) for token in got if mouse_report(token) is not None]


@pytest.mark.parametrize(
    ("keys", "want"),
    [
        (b"\x1b[97:55296:1114112;2u", Stroke("a", SHIFT)),
        (b"\x1b[97;" + b"9" * 5_000 + b"A", Stroke("up", SHIFT)),
    ],
)
def test_a_number_beyond_all_is_left_out_of_a_key(keys: bytes, want: Stroke) -> None:
    (stroke,) = strokes(Tokenizer().feed(keys))
    assert stroke.key == want.key
    assert msgspec.json.encode(stroke)
    assert key_name(stroke)


def test_backspace_is_what_the_terminal_says_it_is() -> None:
    token = Token(Kind.KEY, b"\x08")
    assert decode(token, erase=8) == [Stroke("backspace")]
    assert decode(token) == [Stroke("h", CTRL)]


# --- torn input

SOUND: list[bytes] = [
    b"hello", "日本語 é 👍".encode(), b"\x1b[A", b"\x1b[1;5C", b"\x1b[3~", b"\x1b[27u", b"\x1b[1089::99;5u",
    b"\x1b[<64;71;42M", b"\x1b[<35;50;20M", b"\x1b[<0;1;1m", b"\x1b[M !!", b"\x1b[I", b"\x1b[O",
    b"\x1b[200~line one\rline two\nrm \x1b[A x\r\x1b[201~", "\x1b[200~日本\r\x1b[201~".encode(),
    *REPLIES, b"\x1b[?997;2n", b"\x1b]11;rgb:1111/1111/1111\x1b\\", b"\x1b]52;c;aGVsbG8=\x07",
]  # fmt: skip
"""What a terminal sends that speaks kitty's protocol."""


def by_time(
    tokens: Tokenizer, pieces: list[tuple[bytes, float]], *, far: bool = False
) -> list[Token]:
    """Feed pieces, each with the seconds after it, as the driver's timer would."""
    patience, got = Patience(far=far), list[Token]()
    for data, pause in pieces:
        got += tokens.feed(data)
        left = pause
        while (wait := patience.seconds(tokens.waiting)) is not None and wait <= left:
            left -= wait
            got += tokens.flush()
    return got


def joined(tokens: list[Token]) -> list[Token]:
    """Return the tokens with neighbouring texts as one."""
    found: list[Token] = []
    for token in tokens:
        if token.kind is Kind.TEXT and found and found[-1].kind is Kind.TEXT:
            found[-1] = Token(Kind.TEXT, found[-1].data + token.data)
        else:
            found.append(token)
    return found


@st.composite
def torn(draw: st.DrawFn, within: float) -> tuple[bytes, list[tuple[bytes, float]]]:
    """Some input, and the pieces in which it comes with pauses of up to so many seconds."""
    whole = b"".join(draw(st.lists(st.sampled_from(SOUND), min_size=1, max_size=5)))
    cuts = sorted(draw(st.sets(st.integers(1, len(whole)), max_size=8)) | {len(whole)})
    starts = [0, *cuts[:-1]]
    pauses = draw(st.lists(st.floats(0, within), min_size=len(cuts), max_size=len(cuts)))
    return whole, [(whole[a:b], pause) for a, b, pause in zip(starts, cuts, pauses, strict=True)]


def speaking_kitty() -> Tokenizer:
    tokens = Tokenizer()
    tokens.feed(b"\x1b[?5u")
    assert tokens.kitty
    return tokens


@examples(200)
@given(torn(within=59.0))
def test_input_torn_anywhere_for_any_time_is_the_same(
    case: tuple[bytes, list[tuple[bytes, float]]],
) -> None:
    whole, pieces = case
    assert joined(by_time(speaking_kitty(), pieces)) == joined(speaking_kitty().feed(whole))


@examples(200)
@given(torn(within=20.0))
def test_without_kitty_only_a_lone_escape_is_a_key_and_nothing_else_is_typed(
    case: tuple[bytes, list[tuple[bytes, float]]],
) -> None:
    whole, pieces = case
    want = joined(Tokenizer().feed(whole))
    tokens = Tokenizer()
    tokens._marks = True
    got = joined([t for t in by_time(tokens, pieces) if t != Token(Kind.KEY, b"\x1b")])
    alone = [data for data, _ in pieces]
    if not any(part.endswith((b"\x1b", b"\x1b[", b"\x1bP", b"\x1b]", b"\x1b_")) for part in alone):
        assert got == want


@pytest.mark.parametrize("data", [b"\x1b[<35;50;20M", b"\x1b[<64;71;42M", b"\x1b[?62;22c", b"\x1b[12;40R",
    b"\x1b]11;rgb:1111/1111/1111\x1b\\", b"\x1bP>|kitty(0.40)\x1b\\", b"\x1b[?997;1n"])  # fmt: skip
@pytest.mark.parametrize("pause", [0.02, 1.2, 6.0, 30.0])
def test_the_rest_of_a_report_is_not_typed_after_its_escape_was(data: bytes, pause: float) -> None:
    for cut in range(1, len(data)):
        got = by_time(Tokenizer(), [(data[:cut], pause), (data[cut:], 1.0), (b"x", 1.0)])
        assert [t for t in got if t.kind not in (Kind.KEY, Kind.MOUSE, Kind.REPLY)] == [
            Token(Kind.TEXT, b"x")
        ]
        keys = [t.data for t in got if t.kind is Kind.KEY]
        alt = pause > 0.3 and data[:cut] in (b"\x1b[", b"\x1b]", b"\x1bP")
        assert keys == ([data[:cut]] if cut == 1 or alt else [])


@pytest.mark.parametrize("rest", [b"[32;50;20M", b"[48;30;100;600;1000t", b"[65;30;97;1;0;1_", b"[4;600;1000t",
    b"[I\x1b[<35;1;1M", b"[O\x1b]11;rgb:1/1/1\x07", b"[>4;2m", b"[?12;40;1R"])  # fmt: skip
def test_other_reports_are_not_typed_after_their_escape_was(rest: bytes) -> None:
    got = by_time(Tokenizer(), [(b"\x1b", 0.3), (rest, 1.0), (b"x", 1.0)])
    assert Token(Kind.KEY, b"\x1b") == got[0]
    typed = [
        stroke
        for token in got[1:]
        if token.kind in (Kind.KEY, Kind.TEXT)
        for stroke in decode(token)
    ]
    assert typed == [Stroke("x", 0, "x")]


def test_what_is_typed_behind_an_escape_is_typed() -> None:
    typed = [b"\x1b", b"[", b"A", b"]", b"1", b"O", b"<", b"\x1b", b"oline", b"\x1b", b"dd"]
    got = by_time(Tokenizer(), [(key, 0.2) for key in typed])
    assert b"".join(t.data for t in got) == b"".join(typed)


def test_a_string_of_more_than_a_mebibyte_is_never_typed() -> None:
    for end in (b"\x07", b"\x1b\\"):
        for size in (STRING_LIMIT + 5, 3 * STRING_LIMIT):
            data = b"\x1b]52;c;" + b"QUFB" * (size // 4) + end + b"x"
            for step in (4095, 65536):
                tokens, got = Tokenizer(), list[Token]()
                for at in range(0, len(data), step):
                    got += tokens.feed(data[at : at + step])
                assert [t for t in got if t.kind is not Kind.REPLY] == [Token(Kind.TEXT, b"x")]


def test_time_for_a_long_string_grows_as_its_length_does() -> None:
    def seconds(size: int) -> float:
        data, tokens, begun = b"\x1b]52;c;" + b"Q" * size, Tokenizer(), time.process_time()
        for at in range(0, len(data), 4095):
            assert tokens.feed(data[at : at + 4095]) == []
        return time.process_time() - begun

    short, long = (min(seconds(size) for _ in range(3)) for size in (2**17, 2**20 - 8))
    assert long < 32 * short, "it is eight times as long"


def test_whoever_types_enter_is_not_in_a_reply_that_broke_off() -> None:
    tokens = Tokenizer()
    assert tokens.feed(b"\x1b]11;rgb:1") + tokens.feed(b"l") + tokens.feed(b"s") == []
    assert tokens.feed(b"\r") == [Token(Kind.KEY, b"\r")]
    assert tokens.feed(b"ls") == [Token(Kind.TEXT, b"ls")]


def test_keys_of_before_kitty_take_its_word_back() -> None:
    for key in (b"\x03", b"\x1bf"):
        tokens = speaking_kitty()
        tokens.feed(key)
        assert not tokens.kitty
        assert by_time(tokens, [(b"\x1b", 1.0)]) == [Token(Kind.KEY, b"\x1b")]
    tokens = speaking_kitty()
    tokens.feed(b"\x1b[?0u")
    assert not tokens.kitty


def test_lines_without_marks_are_a_burst_however_they_are_read() -> None:
    text = b"line one\rline two\rline three\r"
    for cut in range(1, len(text)):
        tokens = Tokenizer()
        got = by_time(tokens, [(text, 0.01), (text[:cut], 0.01), (text[cut:], 1.0)])
        assert got == [Token(Kind.BURST, text + text)]
    typed = [(b"l", 0.1), (b"ls\r", 0.1), (b"\r\r", 0.1), (b"y\rn\r", 0.1)]
    assert Kind.BURST not in [token.kind for token in by_time(Tokenizer(), typed)]
    tokens = Tokenizer()
    tokens.feed(b"\x1b[200~marks\x1b[201~")
    assert Kind.BURST not in [token.kind for token in tokens.feed(text)]
