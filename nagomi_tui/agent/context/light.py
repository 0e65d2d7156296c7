"""The light summary of the chat's history: short, early, under three headings (W-31…W-33)."""

from __future__ import annotations

from typing import Final

MESSAGES: Final = 40
"""The light summary is due with more messages than this."""
SHARE: Final = 0.75
"""The light summary is due for a request over this share of the limit."""
HEADINGS: Final = ("決定事項", "未解決", "次の一手")
LENGTH: Final = (200, 400)
"""The least and most characters that the model is asked for."""
_SLACK: Final = 2

PROMPT: Final = """\
次の会話を200〜400字で要約してください。見出しは「決定事項」「未解決」「次の一手」の3つだけにし、\
会話の言語で書いてください。前置きは要りません。

"""


def fits_form(summary: str) -> bool:
    """Tell whether a summary has the three headings, and about the length that was asked for.

    A model does not count characters; what is far beyond is no light summary.
    """
    return all(heading in summary for heading in HEADINGS) and len(summary) <= LENGTH[1] * _SLACK
