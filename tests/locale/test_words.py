"""Words: what the catalog lacks is told, it is compiled, and chosen as the user wants."""

from __future__ import annotations

import io
import re
import string
from pathlib import Path

import pytest
from babel.messages.mofile import read_mo

from nagomi_tui.text import words
from tests.helpers import catalog
from tests.helpers.catalog import FOLDER, kept, sentences


def placeholders(text: str) -> set[str]:
    return {name.partition(":")[0] for _, name, _, _ in string.Formatter().parse(text) if name}


def by_key(messages):  # type: ignore[no-untyped-def]
    return {first(message.id): str(list(message.string)) for message in messages if message.id}


def first(entry):  # type: ignore[no-untyped-def]
    return entry if isinstance(entry, str) else entry[0]


def test_sentences_without_japanese_are_listed_and_only_a_release_needs_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking = catalog.kept()
    lacking.delete("Settings")
    lacking.add("Nobody says this.", "だれも言いません。")
    assert any(one.endswith(": Settings") for one in catalog.untranslated(lacking))
    assert "Nobody says this." in catalog.unsaid(lacking)
    monkeypatch.setattr(catalog, "kept", lambda: lacking)
    assert [catalog.main("list"), catalog.main("whole")] == [0, 1]
    assert "Without Japanese:\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ('tr("one")', ["one"]),
        ("f\"{x}: {tr('one')}\"", ["one"]),
        ('say(row(tr("one")))', ["one"]),
        ('words.ngettext("one", "many", 2)', [("one", "many")]),
        ("tr(word)", []),
    ],
    ids=["alone", "in an f-string", "within another", "two forms", "not by itself"],
)
def test_a_sentence_is_found_wherever_it_stands(source: str, said: list[object]) -> None:
    assert [message for _, message in sentences(source)] == said


def test_translations_name_the_same_values() -> None:
    for message in kept():
        if message.id:
            one = message.id if isinstance(message.id, str) else message.id[1]
            words_of = message.string if isinstance(message.string, str) else message.string[0]
            assert placeholders(words_of) == placeholders(one), one


def test_the_compiled_catalog_is_that_of_the_source() -> None:
    compiled = read_mo(io.BytesIO((FOLDER / "nagomi.mo").read_bytes()))
    assert by_key(compiled) == by_key(kept())


@pytest.mark.requirement("N-29")
def test_product_words_are_japanese_and_glossed_once() -> None:
    ja = words.of("ja")
    assert ja.gettext("Overview") == "みんなの様子"
    assert ja.gettext("Chat") == "おはなし"
    assert ja.gettext("＋ New session") == "＋ 新しいつくり"
    assert ja.gettext("Settings") == "設定"
    glossed = ja.gettext("A session is one command in its own terminal; a worker process holds it.")
    assert "「つくり（セッション）」" in glossed and "「手（ワーカー）」" in glossed


def test_one_thing_has_one_japanese_word() -> None:
    for message in kept():
        said = message.string if isinstance(message.string, str) else message.string[0]
        assert "セッション" not in said.replace("「つくり（セッション）」", ""), said
        assert not re.search("フォルダ(?!ー)", said), said


@pytest.mark.requirement("N-139")
def test_no_sentence_blames_or_shouts() -> None:
    for message in kept():
        said = message.string if isinstance(message.string, str) else message.string[0]
        assert not any(
            word in said for word in ("致命的", "不正", "無効な", "警告", "！", "失敗しました")
        )


def test_values_are_put_in_by_name_and_counts_have_their_form() -> None:
    assert words.of("ja").say("{name} has ended already.", name="b") == "b はもう終わっています。"
    assert words.of("en").ngettext("{count} wait", "{count} waits", 2) == "{count} waits"
    assert words.of("ja").gettext("never said") == "never said"
    assert words.of("tlh").language == "en"


@pytest.mark.parametrize(
    ("env", "setting", "language"),
    [
        ({}, "auto", "en"),
        ({"LANG": "ja_JP.UTF-8"}, "auto", "ja"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C.UTF-8"}, "auto", "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "ja_JP.UTF-8"}, "auto", "ja"),
        ({"LANG": "ja_JP.UTF-8"}, "en", "en"),
        ({"LANG": "ja_JP.UTF-8", "NAGOMI_LANG": "en"}, "ja", "en"),
        ({"NAGOMI_LANG": "ja"}, "auto", "ja"),
        ({"NAGOMI_LANG": "xx", "LANG": "ja"}, "auto", "ja"),
    ],
)
def test_the_language_is_chosen_by_variable_setting_and_locale(
    env: dict[str, str], setting: str, language: str
) -> None:
    assert words.language_from(env, setting) == language


@pytest.mark.parametrize("content", [b"", b"\xde\x12\x04\x95\x00", b"no catalog", bytes(400)])
def test_a_damaged_catalog_counts_as_none(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while an upgrade writes it: nagomi comes up in English."""
    folder = tmp_path / "ja" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "nagomi.mo").write_bytes(content)
    monkeypatch.setattr(words, "CATALOGS", str(tmp_path))
    assert words.of.__wrapped__("ja").gettext("Settings") == "Settings"
