"""Rules come from files; a broken one is named, and everything else still works."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import msgspec
import pytest

from nagomi_tui.cli import main
from nagomi_tui.judge import loading
from nagomi_tui.judge.evidence import Says, View
from nagomi_tui.judge.screen_rules import Manifest, Sample, read_screen, region
from nagomi_tui.system.paths import shipped
from tests.helpers.judge_story import BOOK


def agents(folder: Path) -> Path:
    made = folder / "agents"
    made.mkdir(exist_ok=True)
    return made


def test_what_is_shipped_is_sound_and_every_screen_rule_has_samples() -> None:
    loaded = loading.load(Path("/nonexistent"))
    assert loaded.problems == ()
    # To load them does not try them.
    files = [*shipped("config").glob("agents/*.toml"), *shipped("config").glob("judge/*.toml")]
    files.remove(shipped("config") / "agents" / loading.TEMPLATE)
    assert len(files) > 18
    assert [str(problem) for path in files for problem in loading.check(path)[1]] == []
    assert {item.name for item in loaded.book.manifests} == {
        "aider", "amp", "any", "claude", "cline", "codex", "copilot", "crush", "droid", "gemini",
        "generic", "goose", "kimi", "opencode", "qwen", "shell", "vibe",
    }  # fmt: skip
    assert all(rule.sample for item in loaded.book.manifests for rule in item.rule)
    assert loaded.book.profile.silence_seconds == 3.5
    assert loaded.book.profile.tail_lines == 80
    assert loaded.book.actions


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("claude", "claude"),
        ("/usr/local/bin/claude --resume x", "claude"),
        ("node /x/@anthropic-ai/claude-code/cli.js", "claude"),
        ("codex --no-daemon", "codex"),
        ("codex-linux-x64", "codex"),
        ("bash -i", "shell"),
        ("-zsh", "shell"),
        ("vim claude.md", None),
        ("claudette", None),
        ("gemini -m x", "gemini"),
        ("node /x/node_modules/@google/gemini-cli/dist/index.js", "gemini"),
        ("npx -y @github/copilot@1.0", "copilot"),
        ("uvx aider-chat --model x", "aider"),
        ("python3 -m aider", "aider"),
        ("auggie", "any"),
        ("goose", "goose"),
        ("uvx kimi-cli", "kimi"),
        ("vim cline", None),
    ],
)
def test_programs_are_recognised_by_their_command(command: str, name: str | None) -> None:
    found = BOOK.manifest(command)
    assert (found.name if found else None) == name


def test_judge_check_names_what_does_not_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    rule = '[[rule]]\nname = "r"\nsays = "rest"\npriority = 1\n[rule.when]\nall = ["x"]\n'
    path.write_text(f'name = "mine"\nkind = "agent"\n{rule}')
    assert main(["judge", "check", str(path)]) == 0
    assert "1" in capsys.readouterr().out
    path.write_text(path.read_text() + '[[rule.sample]]\nscreen = "y"\n')
    assert main(["judge", "check", str(path)]) == 1
    assert "rule r is left out" in capsys.readouterr().err
    assert main(["judge", "check", str(tmp_path / "none.toml")]) == 1


def test_a_users_file_replaces_the_shipped_one(tmp_path: Path) -> None:
    (agents(tmp_path) / "claude.toml").write_text('name = "claude"\nkind = "agent"\n')
    loaded = loading.load(tmp_path)
    assert loaded.problems == ()
    assert [len(item.rule) for item in loaded.book.manifests if item.name == "claude"] == [0]


def test_the_template_works_as_it_stands_but_is_not_loaded(tmp_path: Path) -> None:
    template = shipped("config") / "agents" / loading.TEMPLATE
    shutil.copy(template, agents(tmp_path) / "mine.toml")
    loaded = loading.load(tmp_path)
    assert loaded.problems == ()
    assert len(loaded.book.named("example").rule) == 1  # type: ignore[union-attr]
    assert BOOK.named("example") is None


RULE = """
[[rule]]
name = "{name}"
says = "{says}"
priority = 1
{more}
[rule.when]
any = ['{pattern}']
[[rule.sample]]
screen = "ready"
"""


@pytest.mark.parametrize(
    ("says", "pattern", "more", "fault"),
    [
        ("waits", "(", "", "a pattern is broken"),
        ("sings", "ready", "", "Invalid enum value 'sings'"),
        ("waits", "ready", 'region = "middle"', "no such region: middle"),
        ("waits", "ready", "colour = 1", "unknown field `colour`"),
        ("waits", "absent", "", "mine:good spoke"),
    ],
)
def test_a_broken_rule_is_named_and_skipped(
    tmp_path: Path, says: str, pattern: str, more: str, fault: str
) -> None:
    text = 'name = "mine"\nkind = "agent"\n'
    text += RULE.format(name="bad", says=says, pattern=pattern, more=more)
    text += RULE.format(name="good", says="rest", pattern="ready", more="").replace("= 1", "= 0")
    (agents(tmp_path) / "mine.toml").write_text(text)
    loaded = loading.load(tmp_path)
    assert len(loaded.problems) == 1
    assert fault in str(loaded.problems[0])
    assert "bad" in str(loaded.problems[0])
    assert [rule.name for rule in loaded.book.named("mine").rule] == ["good"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "text"),
    [("agents/x.toml", "name = "), ("agents/x.toml", "name = " + "[" * 50_000), ("judge/generic.toml", "failures = ['(']"),
     ("judge/generic.toml", "silence = 3"), ("judge/actions.toml", "[[action]]\nname = 1")],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_named_and_the_rest_works(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.parent.mkdir()
    path.write_text(text)
    loaded = loading.load(tmp_path)
    assert len(loaded.problems) == 1
    assert str(path) in str(loaded.problems[0])
    assert loaded.book.profile.failures
    assert len(loaded.book.manifests) == len(BOOK.manifests)


@pytest.mark.parametrize("text", ["rule = [", 'kind = "agent"\nnonsense = 1\n', "name = 3"])
def test_the_shipped_rules_hold_where_a_users_file_cannot_be_read(
    tmp_path: Path, text: str
) -> None:
    (agents(tmp_path) / "claude.toml").write_text(text)
    loaded = loading.load(tmp_path)
    assert len(loaded.problems) == 1 and "claude.toml" in str(loaded.problems[0])
    assert loaded.book.named("claude") == BOOK.named("claude")


def test_a_broken_wrapper_and_rules_that_are_no_list_are_named(tmp_path: Path) -> None:
    path = agents(tmp_path) / "mine.toml"
    path.write_text(
        'name = "mine"\nkind = "agent"\nwrapped = ["(", "^mine"]\nrule = 3\nquestion = 4\n'
    )
    count, problems = loading.check(path)
    told = ("[[rule]]", "[[question]]", "wrapped")
    assert (
        count == 0
        and [word in str(one) for word, one in zip(told, problems, strict=True)] == [True] * 3
    )
    found = loading.load(tmp_path).book.named("mine")
    assert found is not None and found.wrapped == ("^mine",)


@pytest.mark.parametrize(
    ("banner", "faults"),
    [
        ("", []),
        (r"^Mine (?P<version>\\d+)", []),
        ("^Mine (", ["a pattern is broken"]),
        (r"^Mine \\d+", ["it has no group `version`"]),
    ],
)
def test_a_banner_is_a_pattern_that_finds_the_version(
    tmp_path: Path, banner: str, faults: list[str]
) -> None:
    path = agents(tmp_path) / "mine.toml"
    path.write_text(f'name = "mine"\nkind = "agent"\nbanner = "{banner}"\n')
    problems = loading.check(path)[1]
    assert [fault in str(one) for fault, one in zip(faults, problems, strict=True)] == [
        True for _ in faults
    ]
    found = loading.load(tmp_path).book.named("mine")
    assert found is not None and (found.banner == "") is (bool(faults) or not banner)


QUESTION = """
[[question]]
name = "{name}"
line = '^Go on\\?'
[question.when]
any = ['Go on']
[[question.sample]]
screen = "Go on?"
keys = ["enter"]
text = "{text}"
"""


def test_the_questions_of_a_file_count_and_one_that_fails_its_sample_is_named(
    tmp_path: Path,
) -> None:
    path = agents(tmp_path) / "mine.toml"
    rule = RULE.format(name="r", says="rest", pattern="ready", more="")
    questions = (QUESTION.format(name=name, text=f"{name}") for name in ("Go on?", "bad"))
    path.write_text('name = "mine"\nkind = "agent"\n' + rule + "".join(questions))
    count, problems = loading.check(path)
    assert count == 2
    (problem,) = problems
    assert "question bad is left out: on its sample 1, “Go on?” was read" in str(problem)


def test_of_a_sample_that_is_drawn_the_signs_are_no_text() -> None:
    sample = Sample("plain\n⟦lit⟧ row\n‼error\nend", title="t")
    view = loading.view_of(sample)
    assert view.rows == ("plain", "lit row", "error", "end")
    assert (view.lit, view.red, view.title) == (((1, "⟦lit⟧ row"),), {2}, "t")
    assert (view.cursor_x, view.cursor_y) == (3, 3)


def test_a_thread_tries_nothing_where_the_user_has_no_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Path] = []
    monkeypatch.setattr(loading, "_slow_patterns", lambda user: tried.append(user) or [])
    for folder in (tmp_path, shipped("config")):
        thread = threading.Thread(target=loading.load, args=(folder,))
        thread.start()
        thread.join()
    loading.load(tmp_path)
    (agents(tmp_path) / "mine.toml").write_text('name = "mine"\nkind = "agent"\n')
    loading.load(tmp_path)
    assert tried == []
    thread = threading.Thread(target=loading.load, args=(tmp_path,))
    thread.start()
    thread.join()
    assert tried == [tmp_path]


def test_of_two_rules_of_one_name_the_first_holds(tmp_path: Path) -> None:
    path = agents(tmp_path) / "mine.toml"
    rules = (RULE.format(name="r", says=one, pattern="ready", more="") for one in ("rest", "waits"))
    path.write_text('name = "mine"\nkind = "agent"\n' + "".join(rules))
    count, problems = loading.check(path)
    assert count == 1 and len(problems) == 1 and "another one of this name" in str(problems[0])
    found = loading.load(tmp_path).book.named("mine")
    assert found is not None and [rule.says for rule in found.rule] == [Says.REST]


@pytest.mark.parametrize(("file", "name"), [("claude", "codex"), ("mine", "claude")])
def test_a_file_that_names_another_agent_is_told(tmp_path: Path, file: str, name: str) -> None:
    path = agents(tmp_path) / f"{file}.toml"
    path.write_text(f'name = "{name}"\nkind = "agent"\nadds = true\n')
    (problem,) = loading.check(path)[1]
    assert f"`{file}`" in str(problem) and f"`{name}`" in str(problem)


@pytest.mark.parametrize(
    ("name", "text", "count", "fault"),
    [
        ("generic.toml", "tail_lines = 200\n", 1, ""),
        ("generic.toml", "tail_lines = 'many'\n", 0, "tail_lines"),
        ("generic.toml", "failures = ['(']\n", 0, "shipped profile is used"),
        ("actions.toml", "[[action]]\nname = 1\n", 0, "action 1"),
    ],
)
def test_judge_check_reads_the_files_of_the_folder_judge(
    tmp_path: Path, name: str, text: str, count: int, fault: str
) -> None:
    path = tmp_path / "judge" / name
    path.parent.mkdir()
    path.write_text(text)
    sound, problems = loading.check(path)
    assert sound == count
    assert [fault in str(one) for one in problems] == ([True] if fault else [])


def test_a_file_that_is_not_there_is_told_in_words(tmp_path: Path) -> None:
    (problem,) = loading.check(tmp_path / "none.toml")[1]
    told = f"{tmp_path / 'none.toml'} cannot be read: No such file or directory"
    assert str(problem) == told


@pytest.mark.requirement("N-73")
def test_a_users_profile_is_laid_over_the_shipped_one(tmp_path: Path) -> None:
    path = tmp_path / "judge" / "generic.toml"
    path.parent.mkdir()
    path.write_text("tail_lines = 200\ninterrupts = ['STOP']\n")
    loaded = loading.load(tmp_path)
    changed = msgspec.structs.replace(BOOK.profile, tail_lines=200, interrupts=("STOP",))
    assert loaded.book.profile == changed and loaded.problems == ()
    path.write_text("tail_lines = 100000\n")
    loaded = loading.load(tmp_path)
    assert loaded.book.profile == BOOK.profile and len(loaded.problems) == 1


@pytest.mark.parametrize("pattern", ["match = '('\nran = 'x'", "match = 'x'\nran = '('"])
def test_a_next_step_with_a_broken_pattern_is_named_and_left_out(
    tmp_path: Path, pattern: str
) -> None:
    path = tmp_path / "judge" / "actions.toml"
    path.parent.mkdir()
    good = "[[action]]\nname = 'good'\ntitle = 't'\ncommand = 'c'\nmatch = 'x'\n"
    path.write_text(f"{good}[[action]]\nname = 'bad'\ntitle = 't'\ncommand = 'c'\n{pattern}\n")
    loaded = loading.load(tmp_path)
    assert [rule.name for rule in loaded.book.actions] == ["good"]
    assert len(loaded.problems) == 1 and "action bad is left out" in str(loaded.problems[0])


VIEW = View(at=0.0, rows=("top", "", "❯ one", "two", "❯ three", "four", ""), title="✳ x")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("title", "✳ x"),
        ("last", "four"),
        ("bottom:2", "❯ three\nfour"),
        ("top:2", "top\n❯ one"),
        ("after:^❯ .*$", "\nfour\n"),
        ("after:nowhere", "\n".join(VIEW.rows)),
    ],
)
def test_regions_are_parts_of_the_screen(name: str, text: str) -> None:
    assert region(VIEW, name) == text


def test_a_prompt_that_quotes_a_dialog_is_no_dialog() -> None:
    rule = "─" * 40
    rows = (rule, "❯ Do you want to proceed?", "❯ 1. Yes", "  2. No", "Esc to cancel")
    box = (rule, "❯ Do you want to proceed? 1. Yes Esc to cancel", rule, "  ? for shortcuts")
    claude = BOOK.named("claude")
    assert isinstance(claude, Manifest)
    shown = read_screen(claude, View(at=0.0, rows=rows[1:]))
    typed = read_screen(claude, View(at=0.0, rows=box))
    assert shown is not None
    assert shown.says is Says.WAITS
    assert typed is not None
    assert typed.says is Says.REST


def test_fifos_in_the_place_of_rules_are_named_and_the_shipped_ones_stay(tmp_path: Path) -> None:
    names = ("agents/own.toml", "judge/generic.toml", "judge/actions.toml")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        os.mkfifo(tmp_path / name)
    loaded, plain = loading.load(tmp_path), loading.load(shipped("config"))
    assert loaded.book == plain.book
    assert len(loaded.problems) == 3
    assert all(any(name in str(problem) for problem in loaded.problems) for name in names)


def test_a_mistake_in_the_commands_behind_a_slash_is_named_and_leaves_the_rules(
    tmp_path: Path,
) -> None:
    file = tmp_path / "agents" / "claude.toml"
    file.parent.mkdir()
    file.write_text('name = "claude"\nkind = "agent"\nadds = true\n[slash]\ncommand = "own"\n')
    loaded = loading.load(tmp_path)
    assert [str(problem).partition(": ")[2] for problem in loaded.problems] == [
        "slash is left out: Object contains unknown field `command`"
    ]
    rules, shipped_rules = loaded.book.named("claude"), BOOK.named("claude")
    assert rules == shipped_rules
