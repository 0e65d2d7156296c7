"""Every setting with type, unit, default and a sentence; form, file and documents use them."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from nagomi_tui.settings.field import fields_of, says

_KEY_VARIABLES: Final = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}


def key_variable(named: str, provider: str) -> str:
    """Return the variable that holds a key: the one that is named, or the provider's usual one."""
    return named or _KEY_VARIABLES[provider]


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of one workplace; `FIELDS` tells what each one means."""

    language: Annotated[
        Literal["auto", "ja", "en"],
        says("Language of all words; auto follows the locale.", section="look"),
    ] = "auto"
    leader: Annotated[
        str,
        says(
            "The key that a command of nagomi begins with, inside a session.",
            section="keys",
            kind="key",
        ),
    ] = "ctrl+]"
    second_leader: Annotated[
        str,
        says(
            "Another key that does what the leader does; empty for none.",
            section="keys",
            kind="key",
        ),
    ] = "f12"
    enter_sends: Annotated[
        bool,
        says(
            "Enter sends the prompt; off, Enter begins a new line and Alt+Enter sends.",
            section="keys",
        ),
    ] = True
    prompt_passes: Annotated[
        bool,
        says(
            "An empty prompt hands Esc, Ctrl+C, Shift+Tab and the arrows of a menu to the "
            "program, and takes the keys of an open question.",
            section="keys",
        ),
    ] = True
    prompt_answers: Annotated[
        Literal["enter", "pause"],
        says(
            "A key of an open question, alone in the prompt, answers with Enter (enter), or by "
            "itself if nothing follows it for 0.8 s (pause).",
            section="keys",
        ),
    ] = "enter"
    typing_follows: Annotated[
        bool,
        says(
            "Typing into a session that is scrolled back shows its end again.",
            section="keys",
        ),
    ] = True
    predicted_echo: Annotated[
        Literal["auto", "never"],
        says(
            "auto shows what you type into a session on a hand at once, underlined, where its "
            "line is slow.",
            section="keys",
        ),
    ] = "auto"
    theme: Annotated[
        Literal["auto", "dark", "light"],
        says(
            "Colours of the room; auto follows the terminal's background.",
            section="look",
        ),
    ] = "auto"
    high_contrast: Annotated[
        bool,
        says("Stronger colours: black on white, or white on black.", section="look"),
    ] = False
    colorblind: Annotated[
        bool,
        says(
            "Badges in blue, orange and yellow, which everyone can tell apart.",
            section="look",
        ),
    ] = False
    reduced_motion: Annotated[bool, says("Characters and badges keep still.", section="look")] = (
        False
    )
    painter: Annotated[
        Literal["direct", "textual"],
        says(
            "How sessions are drawn: direct is quicker, textual is the cautious way.",
            section="look",
        ),
    ] = "direct"
    focused_fps: Annotated[
        int,
        says(
            "Most frames a second of the focused session.",
            section="look",
            unit="1/s",
            least=1,
            most=60,
        ),
    ] = 30
    other_fps: Annotated[
        int,
        says(
            "Most frames a second of every other session.",
            section="look",
            unit="1/s",
            least=1,
            most=60,
        ),
    ] = 10
    silence_timeout: Annotated[
        float,
        says(
            "How long a session is quiet before it counts as idle, where its processes cannot be seen; where they can, a program that has printed an error gets a mark after this time, and not before 10 s.",
            section="judge",
            unit="s",
            least=0.5,
            most=600,
        ),
    ] = 3.5
    history_lines: Annotated[
        int,
        says(
            "Lines kept above the screen of a new session.",
            unit="lines",
            least=0,
            most=20_000,
        ),
    ] = 20_000
    clear_keeps_lines: Annotated[
        bool,
        says(
            "What has scrolled away stays when a program erases it, as `clear` and some agents do."
        ),
    ] = True
    run_reading_steps: Annotated[
        bool,
        says(
            "Run the first next step by itself at a shell's prompt, if it only reads; never in a "
            "guarded session.",
            section="judge",
        ),
    ] = False
    llm_judge: Annotated[
        bool,
        says(
            "Ask an LLM about what failed or calls; needs the consent in Privacy too.",
            section="judge",
        ),
    ] = False
    llm_consent: Annotated[
        bool,
        says(
            "I agree that what I ask the agent, and masked lines, commands and folders, go to "
            "the addresses of the agent's model and of the LLM judge.",
            section="privacy",
        ),
    ] = False
    llm_provider: Annotated[
        Literal["anthropic", "openai"],
        says(
            "What the LLM judge speaks: Anthropic's Messages, or OpenAI's chat completions.",
            section="judge",
        ),
    ] = "anthropic"
    llm_url: Annotated[
        str,
        says(
            "Address of the LLM judge; empty is that of the provider itself.",
            section="judge",
        ),
    ] = ""
    llm_model: Annotated[str, says("Model of the LLM judge.", section="judge")] = "claude-haiku-5-5"
    llm_key_variable: Annotated[
        str,
        says(
            "Environment variable that holds the LLM judge's key; empty is the provider's usual "
            "one. The key is not stored.",
            section="judge",
            kind="secret_name",
        ),
    ] = ""
    llm_key_file: Annotated[
        str,
        says(
            "File that holds the key instead of a variable; or empty.",
            section="judge",
        ),
    ] = ""
    llm_key_command: Annotated[
        str,
        says(
            "A command of yours that prints the key instead of a variable, such as `pass show x`.",
            section="judge",
        ),
    ] = ""
    llm_timeout: Annotated[
        float,
        says(
            "How long the LLM judge may take.",
            section="judge",
            unit="s",
            least=1,
            most=300,
        ),
    ] = 30.0
    agent_provider: Annotated[
        Literal["anthropic", "openai"],
        says(
            "What the agent's model speaks: Anthropic's Messages, or OpenAI's chat completions.",
            section="agent",
        ),
    ] = "anthropic"
    agent_url: Annotated[
        str,
        says(
            "Address of the agent's model; empty is that of the provider itself.",
            section="agent",
        ),
    ] = ""
    agent_model: Annotated[str, says("Model that the agent thinks with.", section="agent")] = (
        "claude-sonnet-5-5"
    )
    agent_key_variable: Annotated[
        str,
        says(
            "Environment variable that holds the agent's key; empty is the provider's usual one.",
            section="agent",
            kind="secret_name",
        ),
    ] = ""
    agent_key_command: Annotated[
        str,
        says(
            "A command of yours that prints the key instead of a variable, such as `pass show x`.",
            section="agent",
        ),
    ] = ""
    agent_context_limit: Annotated[
        int,
        says(
            "Most tokens of a request to the agent's model; 0 goes by the model.",
            section="agent",
            unit="tokens",
            least=0,
            most=10_000_000,
        ),
    ] = 0
    agent_requests_per_hour: Annotated[
        int,
        says(
            "Most requests in an hour that the agent makes by itself, reserved or autonomous.",
            section="agent",
            least=0,
            most=1000,
        ),
    ] = 12
    agent_tokens_per_hour: Annotated[
        int,
        says(
            "Most tokens in an hour that the agent uses by itself.",
            section="agent",
            unit="tokens",
            least=0,
            most=10_000_000,
        ),
    ] = 60_000
    agent_cost_per_day: Annotated[
        float,
        says(
            "Most money in a day for the agent's model, what you ask it included; 0 is no limit. "
            "A model without known prices counts as the dearest known one.",
            section="agent",
            unit="US$",
            least=0,
            most=10_000,
        ),
    ] = 0.0
    agent_folder: Annotated[
        str,
        says(
            "Folder in which the agent keeps its notes and what was said; or empty.",
            section="agent",
        ),
    ] = ""
    agent_name: Annotated[
        str,
        says("Name of the agent; empty is that of the character.", section="agent"),
    ] = ""
    agent_user: Annotated[str, says("What the agent calls you; or empty.", section="agent")] = ""
    mcp_sessions: Annotated[
        str,
        says(
            "Sessions, by name with commas between, that other agents write to without asking "
            "you through `nagomi mcp`; what is of high risk asks all the same, and so does what "
            "comes after one of them has read a text through it.",
            section="agent",
        ),
    ] = ""
    api_on: Annotated[
        bool,
        says(
            "Programs of this machine may use nagomi by HTTP, with the token of `nagomi api token`.",
            section="agent",
        ),
    ] = False
    api_port: Annotated[
        int,
        says(
            "Port of HTTP on this machine; 0 is any that is free.",
            section="agent",
            least=0,
            most=65_535,
        ),
    ] = 0
    pool_size: Annotated[
        int,
        says(
            "How many workers share the local sessions.",
            unit="workers",
            least=1,
            most=16,
        ),
    ] = 3
    shell: Annotated[
        str,
        says("Command of a new session that names none; empty means your login shell."),
    ] = ""
    shell_integration: Annotated[
        bool,
        says("New bash, zsh and fish tell where a command begins and how it ended."),
    ] = True
    guard_watch: Annotated[
        bool,
        says(
            "What changes in a guarded project while its agents should only discuss is told, "
            "and can be undone."
        ),
    ] = True
    guard_strict: Annotated[
        bool,
        says(
            "The kernel holds the projects of guarded sessions, as `nagomi new --guard strict` "
            "asks for one (Linux)."
        ),
    ] = False
    worktree_place: Annotated[
        str,
        says(
            "Folder of new worktrees, from the one that the repository is in; empty is "
            "REPOSITORY.worktrees beside it."
        ),
    ] = ""
    worktree_days: Annotated[
        int,
        says(
            "How long a worktree that was taken away can be brought back.",
            unit="days",
            least=0,
            most=3650,
        ),
    ] = 7
    worktree_requests: Annotated[
        bool,
        says(
            "gh or glab is asked for the pull requests of worktrees' branches, every five minutes at "
            "most; `nagomi worktree list` and tiles show them."
        ),
    ] = False
    character: Annotated[
        str,
        says(
            "Character of new sessions: mochi, koneko, kyusu, or one of your own.",
            section="character",
            kind="character",
        ),
    ] = "mochi"
    character_size: Annotated[
        Literal["auto", "small", "line", "off"],
        says(
            "How large the character is beside the prompt; auto takes what there is room for.",
            section="character",
        ),
    ] = "auto"
    balloon: Annotated[bool, says("The character says how things stand.", section="character")] = (
        True
    )
    tile_columns: Annotated[
        int,
        says(
            "Columns of the narrowest tile whose session takes the tile's size; columns of tiles "
            "are at least so wide.",
            section="look",
            least=20,
            most=400,
        ),
    ] = 60
    tile_rows: Annotated[
        int,
        says(
            "Rows of the lowest tile whose session takes the tile's size.",
            section="look",
            least=4,
            most=200,
        ),
    ] = 10
    tile_faces: Annotated[
        bool,
        says("A small face in the line above each session.", section="character"),
    ] = True
    face_hold: Annotated[
        float,
        says(
            "How long a face shows that something ended or calls.",
            section="character",
            unit="s",
            least=0.5,
            most=60,
        ),
    ] = 4.0
    engine: Annotated[
        Literal["ghostty", "pyte"],
        says("Terminal emulator of new sessions; pyte is slower and all in Python."),
    ] = "ghostty"
    sound_failure: Annotated[
        Literal["sound_file", "tts", "off"],
        says(
            "What is heard when something did not go well: a sound, a voice, nothing.",
            section="sound",
        ),
    ] = "sound_file"
    sound_attention: Annotated[
        Literal["sound_file", "tts", "off"],
        says("What is heard when a session needs you.", section="sound"),
    ] = "sound_file"
    sound_success: Annotated[
        Literal["sound_file", "tts", "off"],
        says("What is heard when something has succeeded.", section="sound"),
    ] = "off"
    sound_volume: Annotated[
        float,
        says("How loud sounds are, from 0 to 1.", section="sound", least=0.0, most=1.0),
    ] = 0.8
    sound_cooldown: Annotated[
        int,
        says(
            "How soon the same kind of sound may be heard again.",
            section="sound",
            unit="ms",
            least=0,
            most=600_000,
        ),
    ] = 1500
    sound_backend: Annotated[
        Literal[
            "auto", "simpleaudio", "just_playback", "winsound", "pw-play", "paplay", "aplay",
            "afplay", "powershell", "bell",
        ],
        says("What plays sounds; bell is the terminal's own.", section="sound"),
    ] = "auto"  # fmt: skip
    sound_folder: Annotated[
        str,
        says(
            "Folder of your own failure.wav, attention.wav and success.wav; or empty.",
            section="sound",
        ),
    ] = ""
    speech_voice: Annotated[
        str,
        says(
            "Voice that reads aloud, as your speech program names it; or empty.",
            section="sound",
        ),
    ] = ""
    quiet_hours: Annotated[
        str,
        says(
            "Hours without sound, such as 22:00-07:00; or empty.",
            section="sound",
            kind="time_range",
        ),
    ] = ""
    notify_failure: Annotated[
        bool, says("Give notice when something did not go well.", section="notices")
    ] = True
    notify_attention: Annotated[
        bool, says("Give notice when a session needs you.", section="notices")
    ] = True
    notify_success: Annotated[
        bool, says("Give notice when something has succeeded.", section="notices")
    ] = False
    notify_desktop: Annotated[
        bool,
        says(
            "Notices by the desktop, where it shows any; else by the terminal.",
            section="notices",
        ),
    ] = True
    notify_terminal: Annotated[
        Literal["auto", "osc777", "osc9", "osc99", "bell", "off"],
        says(
            "How the terminal is asked to show a notice; auto goes by its name.",
            section="notices",
        ),
    ] = "auto"
    notify_title: Annotated[
        str,
        says(
            "Title of a notice; {name} is the session. Empty: as nagomi says it.",
            section="notices",
        ),
    ] = ""
    on_event: Annotated[
        str,
        says(
            "A command of yours for each turn that ends; it gets JSON on its stdin.",
            section="notices",
        ),
    ] = ""
    terminal_title: Annotated[
        str,
        says(
            "Title of your terminal; {waiting} is how many need you. Or empty.",
            section="notices",
        ),
    ] = "{waiting}nagomi"
    terminal_progress: Annotated[
        bool,
        says("Show on the terminal's icon that somebody needs you.", section="notices"),
    ] = True
    keep_transcripts: Annotated[
        bool,
        says(
            "Keep what sessions print, masked, for `nagomi history`.",
            section="privacy",
        ),
    ] = True
    mask_own_words: Annotated[
        bool,
        says(
            "Mask secrets in what I write to the agent, too, before it is kept and sent.",
            section="privacy",
        ),
    ] = True
    keep_misread: Annotated[
        bool,
        says(
            "Keep a masked recording of an agent from when nagomi does not understand it any "
            "more, for `nagomi judge learn`.",
            section="privacy",
        ),
    ] = False
    transcript_days: Annotated[
        int,
        says(
            "How long what sessions printed is kept.",
            section="privacy",
            unit="days",
            least=1,
            most=3650,
        ),
    ] = 30
    transcript_megabytes: Annotated[
        int,
        says(
            "How much of what all sessions printed is kept; the oldest goes first.",
            section="privacy",
            unit="MB",
            least=10,
            most=100_000,
        ),
    ] = 500


FIELDS: Final = fields_of(Settings)
