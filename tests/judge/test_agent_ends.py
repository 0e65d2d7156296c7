"""How a turn ended, by the last words above an agent's field: of an agent that no rules name."""

from __future__ import annotations

import pytest

from nagomi_tui.judge.evidence import Key, Says, View
from nagomi_tui.judge.screen_rules import read_screen
from nagomi_tui.judge.shapes import last_block
from nagomi_tui.judge.verdict import State
from tests.helpers.drawn import Drawn
from tests.helpers.judge_story import BOOK

ANY = BOOK.named("any")
assert ANY is not None
RULE = "─" * 60

FAILED = (
    "You've reached your Amp Free limit. Add credits to continue.",
    "Error: 402 Payment Required",
    "Insufficient credits. Add more using https://openrouter.ai/settings/credits",
    "⚠ LLM provider error: status 529",
    "LLM provider error: Error code: 429 - {'error': {'message': 'rate limited'}}",
    "API error: 401 Unauthorized",
    "Ran into this error: Authentication error: Authentication failed. Status: 401 Unauthorized.",
    "Request failed: Rate limit exceeded: Too many requests",
    "ERROR Too many requests",
    "x Bad Request: model not found",
    "Failed to connect to server",
    "stream disconnected before completion: error sending request",
    "exceeded retry limit, last status: 429 Too Many Requests",
    "Usage limit has been reached. Please upgrade",
    "Your session has expired. Please run `droid login`",
    "LLM not set, send /login to login",
    "API Error (500): Internal Server Error",
    "Connection Error: ECONNREFUSED 127.0.0.1:443",
    "Error running agent: timeout",
    "Agent execution failed: deadline exceeded",
    "Maximum context length exceeded",
    "Sorry, you have exceeded your premium request allowance",
    "Quota exceeded. Check your plan and billing details",
    "[API Error: You have exhausted your daily quota on this model.]",
    "Resource has been exhausted (e.g. check quota).",
    "Unable to connect to API (ECONNREFUSED)",
    "Network error: fetch failed",
    "You are out of credits",
    "Your credit balance is too low to access the Anthropic API",
    "Invalid API key · Please run /login",
    "429 Too Many Requests",
    "HTTP 503: Service Unavailable",
    "HTTPError 401: unauthorized",
    "Anthropic API is overloaded",
    "The model is overloaded. Please try again later.",
    "The server had an error while processing your request",
    "rate_limit_error: Number of request tokens has exceeded your per-minute rate limit",
    "Subscription required to use this model",
    "Access denied: your organization has disabled this feature",
    "Login required",
    "Trial expired",
    "Payment method declined",
    "503 UNAVAILABLE. The model is overloaded.",
    "model gpt-9 is not available for your account",
    "Context window exceeded. Use /compact or start a new thread.",
    "セッションの有効期限が切れました",
    "APIキーが無効です",
    "利用上限に達しました",
    "タイムアウトしました",
    "Something went wrong while contacting the model",
    "Turn failed: upstream returned 502",
    "Stopped: too many consecutive errors",
    "MaxTurnsExceeded: reached 50 turns",
    "Your monthly usage limit has been reached.",
    "You have no credits left.",
    "Rate limit hit, retrying is paused until 14:00",
    "Server error (500). Please try again.",
    "unexpected status 403 Forbidden: account disabled",
    "Model request failed after 3 retries",
    "Provider returned error: 502 Bad Gateway",
    "openai.RateLimitError: Error code: 429",
    "litellm.AuthenticationError: invalid x-api-key",
    "anthropic.BadRequestError: prompt is too long: 210000 tokens > 200000 maximum",
    "Execution error",
    "API connection lost. Press r to retry.",
    "Request too large (max 32MB)",
    "Amp is at capacity right now",
    "Daily free usage limit reached",
    "Free tier limit exceeded",
    "Error: no response from model",
    "Error communicating with the model: EOF",
    "Could not get a response from the model.",
    "Unauthorized",
    "Unauthorized: token expired",
    "Forbidden",
    "Please sign in again",
    "Your access token could not be refreshed",
    "OAuth token has expired · Please obtain a new token",
    "Account suspended",
    "Gateway timeout",
    "net::ERR_INTERNET_DISCONNECTED",
    "getaddrinfo ENOTFOUND api.example.com",
    "connect ECONNREFUSED 127.0.0.1:11434",
    "socket hang up",
    'Post "https://api.example.com/v1/messages": dial tcp: lookup api.example.com: no such host',
    "context deadline exceeded",
    "failed to run agent: context deadline exceeded",
    "No model configured. Run /model",
    "No provider configured",
    "The agent stopped because of an error",
    "The response was cut off",
    "Conversation is too long",
    "レート制限に達しました。しばらくしてからお試しください。",
    "APIエラー: 500",
    "ネットワークエラーが発生しました",
    "認証に失敗しました。再度ログインしてください。",
    "サーバーに接続できません",
    "モデルが利用できません",
)

WELL = (
    "Done. All tests pass.",
    "I fixed the rate limit handling in client.py.",
    "The request timed out in the test, so I raised the limit to 30 s.",
    "The API key check now returns 401 for invalid keys.",
    "Error handling is now in place for 429 and 503.",
    "The login page shows 'Session expired' now.",
    "You have three options: A, B or C.",
    "I added `Connection refused` to the docs.",
    "Your limit of 5 is now configurable.",
    "The model does not exist in the table yet; I created a migration.",
    "Quota checks were added.",
    "Failed tests: 0. Passed: 12.",
    "No errors were found.",
    "Not found: nothing matched your pattern.",
    "I could not find any file of that name, so I created one.",
    "You are not logged in to npm in this shell, so I skipped publishing.",
    "Connection pooling is implemented.",
    "The server was refusing connections since the port was wrong; fixed.",
    "Timeout is 30 seconds by default.",
    "The context limit is 200k tokens.",
    "You hit an interesting edge case here; fixed.",
    "You've used all the right patterns here.",
    "Error messages are now translated.",
    "Errors: none",
    "The error was caused by a typo.",
    "Error codes 401 and 403 are explained in docs/errors.md.",
    "Authentication failed tests are green again.",
    "Session tokens expire after one hour now.",
    "Rate limiting is done by a token bucket.",
    "制限に達したときの表示を直しました。",
    "エラー処理を追加しました。",
    "接続に失敗したときの再試行を実装しました。",
    "認証エラーの原因はトークンの期限でした。直しました。",
    "The prompt is too long for one line, so I wrapped it.",
    "Input too large errors are handled.",
    "Overloaded functions are merged.",
    "Unable to reproduce the bug: works for me.",
    "I was unable to fetch the page in the sandbox; used the cache instead.",
    "The server error page is styled now.",
    "Rate limit headers are parsed.",
    "I ran the tests: 2 failed, 10 passed before the fix; now all pass.",
    "Failed to parse is no longer shown for empty files.",
    "Error handling: done. Docs: done.",
    "The error message reads: 'x'.",
    "Access control is required for these routes, so I added it.",
    "Login is required on /admin now.",
    "Payment required (402) is returned when the plan has ended.",
    "The token expired check is in auth.py.",
    "Your plan: 1. do this 2. do that",
    "No issues found.",
    "It exits with status 1 when the limit is exceeded.",
    "Exceptions: none.",
    "Warning: the build is slow.",
    "Fixed: error when the file is missing.",
    "Bug: error 500 on save. Cause: a null id.",
    "Timeouts are handled.",
    "Connection to the database works.",
    "Out of the 12 tests, 12 pass.",
    "Unavailable items are greyed out.",
    "Here is the error: `TypeError: x is undefined`",
    "Aborted transactions are rolled back now.",
    "Stopped containers are removed.",
    "HTTP 404 is returned for unknown ids.",
    "Requests failed in the logs at 12:00.",
    "The model was trained for 3 epochs.",
    "The context is set in app.py.",
    "Session expired handling was added to the middleware.",
    "接続エラーの表示を追加しました。",
    "ログインできない問題を直しました。",
    "エラーはありませんでした。",
    "テストに失敗していた原因を直しました。",
    "制限を超えたらエラーになります。",
    "Build succeeded. 0 errors, 0 warnings.",
    "Login works. Session: ok.",
    "Request validation is done by pydantic.",
    "Key not found errors are now caught.",
    "Rate limit: 100 requests per minute.",
    "Limits: 5 per user.",
)


def shown(*rows: str, red: frozenset[int] = frozenset()) -> View:
    """Return a screen on which these rows stand above an empty field."""
    above = ("> do it", *rows)
    return View(
        at=0.0,
        rows=(*above, "", RULE, "> ", RULE, "  ? for shortcuts"),
        cursor_x=2,
        cursor_y=len(above) + 2,
        red=frozenset(at + 1 for at in red),
    )


def said(view: View) -> Says | None:
    found = read_screen(ANY, view)
    return found.says if found else None


@pytest.mark.parametrize("lead", ["● ", "", "  ⎿  "])
@pytest.mark.parametrize("words", FAILED)
def test_an_end_that_names_the_account_the_line_or_an_error_is_a_failure(
    words: str, lead: str
) -> None:
    assert said(shown("", lead + words)) is Says.FAILED


@pytest.mark.parametrize("lead", ["● ", "", "✦ "])
@pytest.mark.parametrize("words", WELL)
def test_an_answer_that_speaks_of_errors_is_none(words: str, lead: str) -> None:
    assert said(shown("", lead + words)) is not Says.FAILED


def test_last_words_in_red_are_a_failure_whatever_they_say() -> None:
    assert said(shown("", "● The door is closed today.", red=frozenset({1}))) is Says.FAILED
    assert said(shown("", "● The door is closed today.")) is not Says.FAILED


@pytest.mark.parametrize("words", ["User rejected the edit", "Interrupted by user", "Cancelled."])
def test_what_the_user_broke_off_is_no_failure_though_it_is_red(words: str) -> None:
    assert said(shown("", f"  ⎿  {words}", red=frozenset({1}))) is not Says.FAILED


def test_red_words_above_an_answer_are_no_end() -> None:
    view = shown("", "✗ Command failed", "", "● All is mended.", red=frozenset({1}))
    assert said(view) is not Says.FAILED


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (("", "● Done.", "", " " * 50 + "◐ medium"), "● Done."),
        (("● Done.", "ℹ Press F12 for more.", "  Or less."), "● Done."),
        (("", "● Done.", "  It is.", "✻ Worked for 6s"), "● Done.\nIt is."),
        (("", "● Done.", RULE, " Shift+Tab to accept"), "● Done."),
        (("", "● Done.", "~/folder [main]"), "● Done."),
        ((), ""),
        (("> again",), ""),
    ],
)
def test_hints_below_the_last_words_are_passed_over(rows: tuple[str, ...], words: str) -> None:
    assert last_block(shown(*rows))[0] == words


@pytest.mark.parametrize("red", ["31", "91", "38;5;196", "38;2;171;43;63", "1;38;2;255;107;128"])
def test_the_colours_in_which_programs_write_errors_are_red(red: str) -> None:
    agent = Drawn()
    field = f"{RULE}\r\n> \r\n{RULE}\x1b[A\r\x1b[2C"
    agent.prints(field, 1.0)
    agent.presses(Key.TEXT)
    agent.presses()
    agent.prints(f"\x1b[2A\r\x1b[J> hello\r\n\r\n⠋ Asking\r\n{field}", 0.4)
    for sign in "⠙⠹⠸⠼⠴⠦":
        agent.prints(f"\x1b[2A\r{sign}\x1b[2B\r\x1b[2C", 0.4)
    agent.prints(f"\x1b[2A\r\x1b[J\x1b[{red}m● Nobody answers.\x1b[0m\r\n{field}", 3.0)
    assert agent.state is State.FAILURE, agent.why


@pytest.mark.parametrize("resized", [False, True])
def test_what_leaves_the_field_for_the_conversation_was_sent(resized: bool) -> None:
    """Unless it was drawn anew for another size, when a field of before is left on the screen."""
    agent = Drawn()
    field = f"{RULE}\r\n> {{}}\r\n{RULE}\x1b[A\r\x1b[{{}}C"
    agent.prints(field.format("", 2), 1.0)
    agent.prints("\rhello".replace("\r", "\x1b[3G"), 1.0)
    if resized:
        agent.engine.resize(agent.engine.cols, 30)
    agent.prints("\x1b[A\r\x1b[J> hello\r\n\r\n" + field.format("", 2), 1.0)
    assert agent.state is (State.UNKNOWN if resized else State.THINKING), agent.why
    if resized:
        return
    agent.prints("\x1b[2A\r\x1b[JHello yourself.\r\n\r\n" + field.format("", 2), 3.0)
    assert agent.state is State.SUCCESS, agent.why


@pytest.mark.parametrize(
    ("above", "told"),
    [
        ("", "  Error: [provider.api_error] 429 You exceeded your\r\n current quota.\r\n"),
        ("What shall I do?\r\n", "Authentication failed: Invalid API key\r\n\r\n"),
    ],
    ids=["Kimi Code 2.1.0", "Nanocoder 1.30.0"],
)
def test_an_error_is_the_end_whatever_stands_above_and_below_it(above: str, told: str) -> None:
    """The line that was sent may begin with any sign, and a question stand above the field for ever."""
    agent = Drawn()
    field = f"{above}{RULE}\r\n> {{}}\r\n{RULE}\x1b[A\r\x1b[{{}}C"
    agent.prints(field.format("", 2), 1.0)
    agent.prints("\x1b[3Gdo it", 1.0)
    agent.presses()
    up, down = ("\x1b[A", "\x1b[B") if above else ("", "")
    agent.prints(f"{up}\x1b[A\r\x1b[J✨ do it\r\n⠋ Asking\r\n" + field.format("", 2), 0.4)
    for sign in "⠙⠹⠸⠼":
        agent.prints(f"{up}\x1b[2A\r{sign}{down}\x1b[2B\r\x1b[2C", 0.4)
    agent.prints(f"{up}\x1b[2A\r\x1b[J{told}" + field.format("", 2), 3.0)
    assert agent.state is State.FAILURE, agent.why


@pytest.mark.parametrize("breaks_off", [False, True])
def test_what_was_sent_is_at_work_until_something_stands_below_it(breaks_off: bool) -> None:
    """opencode may take half a minute on a busy machine before anything moves."""
    agent = Drawn("opencode")
    field = f"{RULE}\r\n> {{}}\r\n{RULE}\x1b[A\r\x1b[{{}}C"
    agent.prints(field.format("", 2), 1.0)
    agent.prints("\x1b[3Gdo it", 1.0)
    agent.presses()
    agent.prints("\x1b[A\r\x1b[J> do it\r\n\r\n  ▣ Build\r\n" + field.format("", 2), 3.0)
    if breaks_off:
        agent.presses(Key.ESCAPE)
    agent.wait(12.0)
    assert agent.state is (State.UNKNOWN if breaks_off else State.THINKING), agent.why
    agent.prints("\x1b[2A\r\x1b[JDone.\r\n\r\n" + field.format("", 2), 3.0)
    assert (agent.state is State.SUCCESS) is not breaks_off, agent.why


@pytest.mark.parametrize(("name", "sign"), [("gemini", "✦"), ("qwen", "◆")])
def test_a_turn_whose_answer_comes_with_what_was_sent_is_told(name: str, sign: str) -> None:
    """Two of eight quick turns of Gemini, and none of Qwen's, were: both draw all of it at once.

    An answer may quote an error: the sign before it tells that it is one.
    """
    agent = Drawn(name)
    field = f"{RULE}\r\n> \r\n{RULE}\x1b[A\r\x1b[2C"
    agent.prints(field, 1.0)
    for turn in range(3):
        agent.prints(f"ask {turn}", 1.0)
        agent.presses()
        told = f"[API Error: {turn} quota] is what it printed."
        agent.prints(f"\x1b[A\r\x1b[J> ask {turn}\r\n{sign} {told}\r\n{field}", 5.0)
        assert agent.state is State.SUCCESS, agent.why
    assert agent.states.count("success") == 3, agent.states


@pytest.mark.parametrize("command", ["/help", "!ls", "exit"])
def test_a_command_to_the_agent_itself_is_no_turn(command: str) -> None:
    agent = Drawn()
    field = f"{RULE}\r\n> \r\n{RULE}\x1b[A\r\x1b[2C"
    agent.prints(field, 1.0)
    agent.prints(f"\x1b[3G{command}", 1.0)
    agent.prints(f"\x1b[A\r\x1b[J> {command}\r\n\r\n{field}", 3.0)
    assert agent.states[-1] == State.UNKNOWN, agent.states


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("amp", "Out of credits. Add more at ampcode.com/settings"),
        ("kimi", "LLM not set, send \"/login\" to login"),
        ("droid", "Standard Usage limit reached. Select an option below to continue using Droid."),
        ("crush", "\r\n ERROR  Bad request\r\n"),
        ("vibe", "⎢ Error: Rate limits exceeded.\r\n⎣ Please wait a moment."),
        ("goose", "Ran into this error: Server error: 500.\r\n\r\nPlease retry if you think this is a\r\n"),
    ],
)  # fmt: skip
def test_an_agent_known_by_its_source_fails_and_its_rules_are_not_called_unfit(
    name: str, words: str
) -> None:
    agent = Drawn(name)
    field = f"{RULE}\r\n> \r\n{RULE}\x1b[A\r\x1b[2C"
    agent.prints(field, 1.0)
    for _ in range(2):
        agent.presses()
        agent.prints("\x1b[A\r\x1b[J> hello\r\n\r\n⠋ Asking\r\n" + field, 0.4)
        for sign in "⠙⠹⠸⠼⠴⠦⠧⠇":
            agent.prints(f"\x1b[2A\r{sign}\x1b[2B\r\x1b[2C", 0.4)
        assert agent.state is State.THINKING, agent.why
        agent.prints(f"\x1b[2A\r\x1b[J{words}\r\n{field}", 3.0)
        assert agent.state is State.FAILURE, agent.why
    assert agent.judge.mismatch is None
