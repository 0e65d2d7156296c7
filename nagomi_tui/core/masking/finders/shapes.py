"""Keys without a beginning of their own, and addresses that are secrets by themselves: webhooks."""

from __future__ import annotations

from typing import Final

_UUID: Final = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

SHAPES: Final = (
    ("AC", r"(?<=AC[0-9a-f]{32}:)[0-9a-f]{32}", "Twilio: account and token"),
    (":AA", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}", "Telegram: bot tokens"),
    ("Q~", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", "Azure: client secrets"),
    (".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}", "Terraform Cloud"),
    ("-us", r"(?<![0-9a-f])[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])", "Mailchimp"),
    (
        "pat",
        r"pat(?<![A-Za-z0-9]pat)[A-Za-z0-9]{14}\.[0-9a-f]{64}",
        "Airtable: personal access tokens",
    ),
    (
        ".",
        r"[MNO](?<![A-Za-z0-9_-][MNO])[A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
        "Discord: bot tokens",
    ),
    ("at.", r"[ps]at(?<![a-z][ps]at)\.[\w-]{22}\.[0-9A-Za-z]{24}\.[0-9A-Za-z]{20}", "Harness"),
    ("_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", "MaxMind"),
    ("_secret_", r"(?<=[0-9A-Za-z]_secret_)[A-Za-z0-9]{20,}", "Stripe: client secrets"),
    ("1000.", r"1000\.[0-9a-f]{32}\.[0-9a-f]{32}", "Zoho"),
    ("00D", r"00D[A-Za-z0-9]{12,15}![A-Za-z0-9_.]{60,}", "Salesforce: sessions"),
    ("pk_", r"pk(?<![a-z]pk)_[0-9]{6,10}_[A-Z0-9]{32}", "ClickUp"),
    ("$2", r"\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}", "hashes of bcrypt"),
    (
        "$",
        r"\$(?:1|5|6|y|gy|7)\$(?:[\w=,]{1,40}\$)?[./A-Za-z0-9]{1,64}\$[./A-Za-z0-9]{20,}",
        "crypt",
    ),
    ("$argon2", r"\$argon2(?:i|d|id)(?:\$[^\s$\"']{1,100}){3,4}", "hashes of Argon2"),
    (
        "hooks.slack.com/",
        r"(?<=/)T[A-Z0-9]{6,}/[AB][A-Z0-9]{6,}/(?:[0-9]{10,}/)?[A-Za-z0-9]{16,}",
        "Slack: webhooks, workflows",
    ),
    ("webhooks/", r"(?<=webhooks/)[0-9]{6,}/[A-Za-z0-9_-]{10,}", "Discord: webhooks"),
    (":APA91b", r"[A-Za-z0-9_-]{7,}:APA91b[A-Za-z0-9_-]{20,}", "Firebase: server keys, devices"),
    ("/IncomingWebhook/", r"(?<=/IncomingWebhook/)[0-9a-zA-Z]{20,}", "Teams: webhooks"),
    ("hooks/catch/", r"(?<=hooks/catch/)[0-9]{3,}/[A-Za-z0-9]{5,}", "Zapier: webhooks"),
    ("/hooks/", r"(?<=/hooks/)(?:[A-Za-z0-9]{17}/)?[A-Za-z0-9]{26,}", "Mattermost, Rocket.Chat"),
    (".make.com/", r"(?<=\.make\.com/)[A-Za-z0-9]{20,}", "Make: webhooks"),
    ("/with/key/", r"(?<=/with/key/)[A-Za-z0-9_-]{15,}", "IFTTT: webhooks"),
    ("/bot/v2/hook/", rf"(?<=/bot/v2/hook/){_UUID}", "Feishu and Lark: webhooks"),
    ("webhook/send?key=", rf"(?<=webhook/send\?key=){_UUID}", "WeCom: webhooks"),
    ("hc-ping.com/", rf"(?<=hc-ping\.com/){_UUID}", "Healthchecks: pings"),
    ("/webhook", rf"(?<=/webhook/){_UUID}", "n8n and others: webhooks"),
    ("/integration/", r"(?<=/integration/)[0-9a-f]{32}", "PagerDuty: integrations"),
)
"""A literal inside, the shape, and what it opens."""
