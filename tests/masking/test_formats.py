"""The key formats of providers are masked wherever they stand."""

from __future__ import annotations

import pytest

from nagomi_tui.masking import REDACTED, mask_line
from nagomi_tui.masking.finders.formats import FORMATS

# Values are put together here, so that no scanner takes this file for a leak.
MIXED = "aB3dE5fG7hI9" + "jK1lM2nO4pQ6" + "rS8tU0vW1xY2z"
HEX = "0a1b2c3d4e5f6071" * 4
DIGITS = "123456" + "7890"
CAPITALS = "A1B2C3D4" + "E5F6G7H8"

KEYS = [
    ("Anthropic", "sk-" + "ant-api03-" + MIXED),
    ("Anthropic OAuth", "sk-" + "ant-oat01-" + MIXED),
    ("OpenAI", "sk-" + MIXED),
    ("OpenAI project", "sk-" + "proj-" + MIXED),
    ("OpenRouter", "sk-" + "or-v1-" + HEX),
    ("Hugging Face", "hf" + "_" + MIXED),
    ("Groq", "gsk" + "_" + MIXED),
    ("GitHub personal", "gh" + "p_" + MIXED),
    ("GitHub OAuth", "gh" + "o_" + MIXED),
    ("GitHub server", "gh" + "s_" + MIXED),
    ("GitHub user", "gh" + "u_" + MIXED),
    ("GitHub refresh", "gh" + "r_" + MIXED),
    ("GitHub fine-grained", "github" + "_pat_" + MIXED),
    ("GitLab", "gl" + "pat-" + MIXED),
    ("GitLab runner", "gl" + "rt-" + MIXED),
    ("npm", "np" + "m_" + MIXED),
    ("PyPI", "py" + "pi-AgEI" + MIXED),
    ("RubyGems", "rubygems" + "_" + HEX[:48]),
    ("Docker Hub", "dckr" + "_pat_" + MIXED),
    ("AWS", "AK" + "IA" + CAPITALS),
    ("AWS temporary", "AS" + "IA" + CAPITALS),
    ("Google", "AI" + "za" + MIXED),
    ("Google OAuth", "ya" + "29." + MIXED),
    ("Google client", "GOC" + "SPX-" + MIXED),
    ("Azure client", "abc8" + "Q~" + MIXED[:33]),
    ("DigitalOcean", "dop" + "_v1_" + HEX),
    ("Vault", "hv" + "s." + MIXED),
    ("Databricks", "da" + "pi" + HEX[:32]),
    ("Supabase", "sb" + "p_" + HEX[:40]),
    ("Netlify", "nf" + "p_" + MIXED),
    ("age", "AGE-" + "SECRET-KEY-1" + CAPITALS * 4),
    ("Slack bot", "xo" + "xb-" + DIGITS + "-" + DIGITS + "-" + MIXED),
    ("Slack user", "xo" + "xp-" + DIGITS + "-" + MIXED),
    ("Stripe", "sk" + "_live_" + MIXED),
    ("Stripe restricted", "rk" + "_live_" + MIXED),
    ("SendGrid", "SG" + "." + MIXED[:22] + "." + MIXED),
    ("Twilio", "S" + "K" + HEX[:32]),
    ("Telegram", DIGITS[:9] + ":" + "AA" + MIXED[:33]),
    ("Linear", "lin" + "_api_" + MIXED),
    ("Notion", "nt" + "n_" + MIXED),
    ("Shopify", "shp" + "at_" + HEX[:32]),
    ("Mailchimp", HEX[:32] + "-us" + "12"),
    ("Discord", "M" + MIXED[:23] + "." + MIXED[:6] + "." + MIXED[:27]),
    ("Terraform", MIXED[:14] + ".atlas" + "v1." + MIXED * 2),
]

LEFT_ALONE = [
    "sk-loading-spinner-container",
    "npm_config_user_agent",
    "npm_lifecycle_event_is_a_long_name_here",
    "hf_transfer",
    "pypi-publish-action-for-the-main-branch",
    "re_compile_the_pattern_once_and_for_all",
    "risk-assessment-document-number-2024",
    "task-runner-with-a-long-name-1",
    "AKIAN",
    "MAKIA" + CAPITALS,
    "dapifoo",
    "SGML.parser",
    "desk-" + "a" * 24,
]


@pytest.mark.parametrize(("provider", "key"), KEYS, ids=[provider for provider, _ in KEYS])
def test_known_format_is_masked_wherever_it_stands(provider: str, key: str) -> None:
    for around in ("{}", "key is {}", '"{}"', "x={},", "({})", "日本語{}です", "a/{}"):
        masked = mask_line(around.format(key))
        assert REDACTED in masked, provider
        assert key[6:] not in masked
        assert masked.startswith(around.partition("{}")[0])


@pytest.mark.parametrize("word", LEFT_ALONE)
def test_words_that_only_begin_like_a_key_stay(word: str) -> None:
    assert mask_line(f"see {word} there") == f"see {word} there"


def test_every_format_says_what_it_opens() -> None:
    assert all(kind.opens and kind.begins and kind.follows for kind in FORMATS)
    begins = [begin for kind in FORMATS for begin in kind.begins]
    assert len(begins) == len(set(begins))
