"""The key formats of providers, as a table: how each begins, and what may follow.

A format is found by its beginning, a literal, so that looking for all of them stays cheap.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_WORD: Final = r"[A-Za-z0-9_-]"
_ALNUM: Final = r"[A-Za-z0-9]"


class Format(NamedTuple):
    """One kind of key; `random` asks that what follows also looks drawn by chance."""

    begins: tuple[str, ...]
    follows: str
    opens: str
    random: bool = False


FORMATS: Final = (
    # Models
    Format(("sk-ant-",), _WORD + "{12,}", "Anthropic: API, admin and OAuth keys"),
    Format(("sk-proj-", "sk-svcacct-", "sk-admin-"), _WORD + "{12,}", "OpenAI: keys of today"),
    Format(("sk-or-v1-", "sk-lf-"), _WORD + "{16,}", "OpenRouter and Langfuse"),
    Format(("sk-",), _WORD + "{16,}", "OpenAI of old, DeepSeek and others alike", random=True),
    Format(("hf_", "api_org_"), _ALNUM + "{20,}", "Hugging Face"),
    Format(("gsk_",), _ALNUM + "{20,}", "Groq"),
    Format(
        ("xai-", "pplx-", "csk-", "tvly-"),
        _WORD + "{20,}",
        "xAI, Perplexity, Cerebras, Tavily",
        random=True,
    ),
    Format(("r8_", "fw_"), _ALNUM + "{20,}", "Replicate and Fireworks", random=True),
    Format(("lsv2_pt_", "lsv2_sk_"), r"[A-Za-z0-9_]{20,}", "LangSmith"),
    Format(("rpa_",), _ALNUM + "{30,}", "RunPod"),
    Format(("SWMTKN-1-",), r"[0-9a-z]{40,}-[0-9a-z]{20,}", "Docker: joining a swarm"),
    Format(("KGAT_",), _ALNUM + "{20,}", "Kaggle"),
    Format(("nvapi-", "tgp_v1_", "jina_"), _WORD + "{40,}", "NVIDIA, Together, Jina"),
    Format(("pcsk_",), r"[A-Za-z0-9_]{50,}", "Pinecone"),
    Format(("e2b_", "fc-"), r"[0-9a-f]{32,}", "E2B, Firecrawl"),
    Format(("sk_",), r"[0-9a-f]{48}(?![A-Za-z0-9])", "ElevenLabs"),
    Format(("apify_api_", "aio_"), _ALNUM + "{28,}", "Apify, Adafruit"),
    Format(("sess-",), _ALNUM + "{40}", "OpenAI: sessions"),
    Format(("BSA", "pa-"), _WORD + "{27,}", "Brave, Voyage", random=True),
    Format(("esecret_",), _ALNUM + "{20,}", "Anyscale"),
    Format(("ak-", "as-"), _ALNUM + "{22}(?![A-Za-z0-9])", "Modal", random=True),
    Format(("key_", "crsr_", "con-"), r"[0-9a-f]{64}(?![A-Za-z0-9])", "Cursor, Continue"),
    Format(
        ("ctx7sk-", "bb_live_", "dtn_", "m0-", "apk_"),
        _WORD + "{24,}",
        "Context7, Browserbase, Daytona, Mem0, Devin",
        random=True,
    ),
    Format(("bce-v3/",), r"ALTAK-[A-Za-z0-9]{16,}/[0-9a-f]{32,}", "Baidu"),
    Format(("wandb_v1_",), r"[A-Za-z0-9_]{40,}", "Weights & Biases"),
    # Code and packages
    Format(
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        r"[A-Za-z0-9_]{20,}",
        "GitHub: every kind of token",
    ),
    Format(("github_pat_",), r"[A-Za-z0-9_]{20,}", "GitHub: fine-grained tokens"),
    Format(
        (
            "glpat-",
            "gldt-",
            "glrt-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glsoat-",
            "glimt-",
            "glagent-",
            "gloas-",
        ),
        r"[A-Za-z0-9_.-]{16,}",
        "GitLab: access, deploy, runner, job and other tokens",
    ),
    Format(("GR1348941",), _WORD + "{16,}", "GitLab: runner registration of old"),
    Format(("ATATT3", "ATCTT3", "ATBB"), r"[A-Za-z0-9_=-]{20,}", "Atlassian and Bitbucket"),
    Format(("npm_",), _ALNUM + "{30,}", "npm"),
    Format(("pypi-",), _WORD + "{32,}", "PyPI", random=True),
    Format(("rubygems_",), r"[0-9a-f]{32,}", "RubyGems"),
    Format(("cio",), _ALNUM + "{32}(?![A-Za-z0-9])", "crates.io", random=True),
    Format(("oy2",), r"[a-z0-9]{43}(?![A-Za-z0-9])", "NuGet"),
    Format(("CLOJARS_",), r"[a-z0-9]{40,}", "Clojars"),
    Format(("dckr_pat_", "dckr_oat_"), _WORD + "{20,}", "Docker Hub"),
    Format(("sntrys_", "sntryu_"), r"[A-Za-z0-9_+/=]{20,}", "Sentry"),
    Format(("squ_", "sqp_", "sqa_"), r"[0-9a-f]{32,}", "SonarQube"),
    Format(("sgp_", "bkua_", "CCIPAT_"), r"[A-Za-z0-9_]{32,}", "Sourcegraph, Buildkite, CircleCI"),
    Format(("glffct-", "tk-us-", "fio-u-"), _WORD + "{20,}", "GitLab: flags; Scalingo, Frame.io"),
    Format(("AKCp", "cmVmd"), _ALNUM + "{50,}", "Artifactory"),
    Format(("sm_aat_", "sm_pat_", "sm_sat_"), _ALNUM + "{16,}", "SettleMint"),
    Format(("BBDC-", "BBFF-"), r"[A-Za-z0-9+/@_-]{30,}", "Bitbucket: data center, pipelines"),
    Format(("rdme_",), r"[a-z0-9]{60,}", "ReadMe"),
    Format(("API-",), r"[A-Z0-9]{26}(?![A-Za-z0-9])", "Octopus Deploy"),
    Format(("rootly_", "slk_"), r"[0-9a-f]{64}", "Rootly, Sourcegraph licences"),
    Format(
        ("bkct_", "bkaj_", "bkpt_"), r"[A-Za-z0-9_.-]{30,}", "Buildkite: clusters, jobs, packages"
    ),
    # Clouds
    Format(("AKID",), _ALNUM + "{32}(?![A-Za-z0-9])", "Tencent Cloud: key ids", random=True),
    Format(("ucat_",), _ALNUM + "{20,}", "UpCloud"),
    Format(("K00",), r"[A-Za-z0-9+/]{28}(?![A-Za-z0-9+/])", "Backblaze", random=True),
    Format(("nbp_",), _ALNUM + "{30,}", "NetBird"),
    Format(("st.",), r"[0-9a-f-]{24,36}\.[0-9a-f]{32}\.[0-9a-f]{32}", "Infisical"),
    Format(
        ("hcaik_", "hcxik_", "hcamk_", "hcxmk_", "hcalk_", "hcxlk_"), r"[a-z0-9]{50,}", "Honeycomb"
    ),
    Format(("ddapi_", "ddpat_"), r"[A-Za-z0-9_]{30,}", "Datadog"),
    Format(("LTAI",), _ALNUM + "{16,24}(?![A-Za-z0-9])", "Alibaba: access key ids"),
    Format(("sha256~",), _WORD + "{43}", "OpenShift"),
    Format(("v1.0-",), r"[0-9a-f]{24}-[0-9a-f]{100,}", "Cloudflare: origin CA"),
    Format(("cfut_", "cfat_", "cfk_"), _ALNUM + "{40,}", "Cloudflare: tokens and keys of today"),
    Format(("AQVN", "t1."), r"[A-Za-z0-9_.=-]{35,}", "Yandex Cloud", random=True),
    Format(("vcp_", "vci_", "vca_", "vcr_", "vck_"), _ALNUM + "{24,}", "Vercel", random=True),
    Format(("dt0c01.", "dt0s01."), r"[A-Z0-9.]{60,}", "Dynatrace"),
    Format(("4b1d",), _ALNUM + "{38}(?![A-Za-z0-9])", "ClickHouse Cloud", random=True),
    Format(("dnkey-",), _WORD + "{60,}", "Defined Networking"),
    Format(("sl.",), r"[A-Za-z0-9_.=-]{100,}", "Dropbox"),
    Format(("s.",), _ALNUM + "{24}(?![A-Za-z0-9.])", "Vault of old", random=True),
    Format(("A3-",), r"[A-Z0-9]{6}-[A-Z0-9]{5,11}-[A-Z0-9-]{15,}", "1Password: secret keys"),
    Format(("AKIA", "ASIA", "ABIA", "ACCA"), r"[A-Z0-9]{16}(?![A-Za-z0-9])", "AWS: access key ids"),
    Format(("ABSK", "bedrock-api-key-"), r"[A-Za-z0-9+/=]{64,}", "AWS: Bedrock"),
    Format(("AIza",), _WORD + "{30,}", "Google: API keys"),
    Format(("AQ.Ab",), _WORD + "{30,}", "Google: API keys bound to an account"),
    Format(("ya29.", "1//0"), _WORD + "{20,}", "Google: OAuth access and refresh tokens"),
    Format(("GOCSPX-",), _WORD + "{20,}", "Google: OAuth client secrets"),
    Format(("dop_v1_", "doo_v1_", "dor_v1_"), r"[0-9a-f]{32,}", "DigitalOcean"),
    Format(("hvs.", "hvb.", "hvr."), _WORD + "{20,}", "HashiCorp Vault"),
    Format(("dapi",), r"[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])", "Databricks"),
    Format(
        ("sbp_", "sbp_v0_", "sbp_oauth_"), r"[0-9a-f]{32,}", "Supabase: access tokens, of apps too"
    ),
    Format(("ak_", "oak_", "uak_"), _ALNUM + "{16,}", "Clerk and others: keys", random=True),
    Format(("sb_secret_",), _WORD + "{20,}", "Supabase: secret keys"),
    Format(("nfp_", "nfc_", "nfo_", "nfu_"), _ALNUM + "{30,}", "Netlify"),
    Format(("HRKU-",), _WORD + "{30,}", "Heroku"),
    Format(("fm1_", "fm2_", "fo1_"), r"[A-Za-z0-9_+/=,-]{30,}", "Fly.io"),
    Format(
        ("dp.pt.", "dp.st.", "dp.sa.", "dp.ct.", "dp.scim.", "dp.audit."),
        r"[A-Za-z0-9_.-]{32,}",
        "Doppler",
    ),
    Format(("pscale_tkn_", "pscale_pw_", "pscale_oauth_"), r"[A-Za-z0-9_.-]{30,}", "PlanetScale"),
    Format(("vercel_blob_rw_",), r"[A-Za-z0-9_]{20,}", "Vercel: blob store"),
    Format(("tskey-",), _WORD + "{20,}", "Tailscale"),
    Format(("pul-",), r"[0-9a-f]{40}(?![A-Za-z0-9])", "Pulumi"),
    Format(("rnd_", "napi_", "pnu_"), _ALNUM + "{28,}", "Render, Neon, Prefect", random=True),
    Format(("AGE-SECRET-KEY-",), r"[A-Z0-9-]{40,}", "age: secret keys"),
    Format(("ops_eyJ",), r"[A-Za-z0-9_+/=-]{40,}", "1Password: service accounts"),
    # Messages, money, work
    Format(
        (
            "xoxb-",
            "xoxp-",
            "xoxa-",
            "xoxr-",
            "xoxs-",
            "xoxe-",
            "xoxc-",
            "xoxd-",
            "xoxe.xoxp-",
            "xoxe.xoxb-",
        ),
        r"[A-Za-z0-9%/+=-]{10,}",
        "Slack: bot, user, app and cookie tokens",
    ),
    Format(("xapp-", "xwfp-"), r"[A-Za-z0-9-]{16,}", "Slack: app and workflow tokens", random=True),
    Format(
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
        r"[A-Za-z0-9+/=_]{16,}",
        "Stripe: secret, restricted and webhook keys",
    ),
    Format(("sk_prod_", "rk_prod_"), _ALNUM + "{16,}", "Stripe alike"),
    Format(("shippo_live_", "shippo_test_"), r"[0-9a-fA-F]{40}", "Shippo"),
    Format(
        ("duffel_live_", "duffel_test_"),
        _WORD + "{40,}",
        "Duffel, GoCardless",
        random=True,
    ),
    Format(("EZAK", "EZTK"), _ALNUM + "{54}", "EasyPost"),
    Format(("FLWSECK-", "FLWSECK_TEST-"), r"[a-z0-9]{12,}(?:-X)?", "Flutterwave"),
    Format(("ramp_sec_", "sqco_", "flb_live_"), _ALNUM + "{20,}", "Ramp, Squarespace, Fleetbase"),
    Format(
        ("access-sandbox-", "access-development-", "access-production-"),
        r"[0-9a-f-]{36}",
        "Plaid: access tokens",
    ),
    Format(("p8e-",), r"[a-z0-9]{32}", "Adobe: client secrets"),
    Format(("pat-eu1-", "pat-na1-"), r"[0-9a-f-]{36}", "HubSpot: private apps"),
    Format(("phx_",), r"[A-Za-z0-9_]{40,}", "PostHog: personal keys"),
    Format(("tfp_",), r"[A-Za-z0-9_.=-]{40,}", "Typeform"),
    Format(("NF-",), _ALNUM + "{32}(?![A-Za-z0-9])", "Northflank", random=True),
    Format(("ATTA",), r"[0-9A-Za-z]{60,}", "Trello"),
    Format(("mlsn.",), r"[0-9a-f]{60,}", "MailerSend"),
    Format(("dG9rO",), r"[A-Za-z0-9+/=]{40,}", "Intercom"),
    Format(("mfa.",), _WORD + "{60,}", "Discord: users"),
    Format(("eyJrIjoi",), r"[A-Za-z0-9]{60,}={0,3}", "Grafana: keys of old"),
    Format(("SG.",), r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}", "SendGrid"),
    Format(("SK",), r"[0-9a-f]{32}(?![A-Za-z0-9])", "Twilio: API keys"),
    Format(("key-",), r"[0-9a-f]{32}(?![A-Za-z0-9])", "Mailgun"),
    Format(("xkeysib-", "xsmtpsib-"), r"[A-Za-z0-9-]{40,}", "Brevo"),
    Format(("re_",), r"[A-Za-z0-9_]{24,}", "Resend", random=True),
    Format(("lin_api_", "lin_oauth_"), _ALNUM + "{20,}", "Linear"),
    Format(("ntn_",), _ALNUM + "{30,}", "Notion"),
    Format(("secret_",), _ALNUM + "{40,}", "Notion of old"),
    Format(("figd_", "figo_"), _WORD + "{20,}", "Figma"),
    Format(("shpat_", "shpca_", "shppa_", "shpss_"), r"[0-9a-fA-F]{32}", "Shopify"),
    Format(("sq0atp-", "sq0csp-"), _WORD + "{20,}", "Square"),
    Format(
        ("EAACEdEose0cBA", "EAAA", "EAAB", "EAAC", "EAAG", "EAAM"),
        _ALNUM + "{50,}",
        "Facebook and Square",
    ),
    Format(("PMAK-",), r"[A-Za-z0-9-]{40,}", "Postman"),
    Format(("CFPAT-",), _WORD + "{40,}", "Contentful"),
    Format(("glc_", "glsa_"), r"[A-Za-z0-9_+/=]{30,}", "Grafana"),
    Format(
        ("NRAK-", "NRAL-", "NRII-", "NRIQ-", "NRBR-", "NRJS-"), r"[A-Za-z0-9_-]{19,}", "New Relic"
    ),
    Format(("phs_",), r"[A-Za-z0-9_]{40,}", "PostHog: feature flags"),
    Format(("sdk-", "api-"), r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", "LaunchDarkly"),
    Format(("KEY0",), r"[A-Z0-9]{28,}_[A-Za-z0-9]{20,}", "Telnyx"),
    Format(("SEC",), r"[0-9a-f]{64}(?![A-Za-z0-9])", "DingTalk: robots"),
    Format(("secret-test-", "secret-live-"), r"[A-Za-z0-9_=-]{30,}", "Stytch"),
    Format(
        ("access_token$production$", "access_token$sandbox$"),
        r"[a-z0-9]{16}\$[0-9a-f]{32}",
        "Braintree",
    ),
    Format(("AQE",), r"[A-Za-z0-9+/=-]{50,}", "Adyen", random=True),
    Format(("oauth:",), r"[a-z0-9]{30}(?![A-Za-z0-9])", "Twitch"),
    Format(
        ("AAAAAAAAAAAAAAAAAAAA",), r"A{0,2}[A-Za-z0-9%]{60,}", "Twitter: bearer tokens", random=True
    ),
    Format(("syt_", "mct_", "mcr_"), r"[A-Za-z0-9_]{20,}", "Matrix", random=True),
    Format(("nsec1",), r"[a-z0-9]{50,}", "Nostr"),
    Format(
        ("ed25519e_sk1", "ed25519_sk1", "root_xsk1", "acct_xsk1", "addr_xsk1"),
        r"[a-z0-9]{50,}",
        "Cardano",
    ),
    Format(("sk.eyJ",), r"[A-Za-z0-9_.-]{40,}", "Mapbox: secret tokens"),
)

_UUID: Final = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

SHAPES: Final = (
    ("*", r"(?<![0-9A-Za-z])\*[0-9A-F]{40}(?![0-9A-Za-z])", "hashes of MySQL"),
    ("live_", r"(?<![A-Za-z0-9_])live_(?=[A-Za-z0-9_-]*[0-9])[A-Za-z0-9_-]{40,}", "GoCardless"),
    (
        "}",
        r"\{(?:S?SHA(?:224|256|384|512)?|S?MD5|CRYPT|PBKDF2[\w-]{0,16}|ARGON2)\}[A-Za-z0-9+/=.$]{20,}",
        "hashes of LDAP",
    ),
    ("{", r"(?<=\{PLAIN\})[^\s:\"']{4,}|(?<=\{CLEARTEXT\})[^\s:\"']{4,}", "passwords in plain"),
    ("AC", r"(?<=AC[0-9a-f]{32}:)[0-9a-f]{32}", "Twilio: account and token"),
    (
        ":",
        r"(?<![A-Za-z0-9_:])[0-9]{8,10}:(?:AA[A-Za-z0-9_-]{30,}|[A-Za-z0-9_-]{35}(?![\w-]))",
        "Telegram: bot tokens",
    ),
    ("Q~", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", "Azure: client secrets"),
    (".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}", "Terraform Cloud"),
    (
        "SHA-",
        r"SCRAM-SHA-[0-9]{1,3}\$[0-9]+:[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+",
        "SCRAM",
    ),
    ('"md5', r"(?<=\")md5[0-9a-f]{32}(?=\")", "hashes of PostgreSQL"),
    (":::", r"(?<=:)[0-9a-fA-F]{32}:[0-9a-fA-F]{32}(?=:::)", "hashes of Windows"),
    (".", r"(?<![A-Za-z0-9])[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9])", "Zhipu"),
    ("/", r"(?<![A-Za-z0-9/])[12]/[0-9]{10,}(?:/[0-9]{10,})?:[0-9a-f]{32}", "Asana"),
    (
        "0.",
        rf"(?<![A-Za-z0-9])0\.{_UUID}\.[A-Za-z0-9]{{20,}}(?::[A-Za-z0-9+/=]{{20,}})?",
        "Bitwarden: machines",
    ),
    ("_", r"(?<![A-Za-z0-9])[123][A-Za-z0-9]{26}_[0-9][A-Za-z0-9]{20,}(?![A-Za-z0-9])", "ngrok"),
    ("K10", r"(?<![A-Za-z0-9])K10[0-9a-f]{64}::[\w:.-]{6,}", "K3s: joining a cluster"),
    ("/webhookb2/", r"(?<=/webhookb2/)[^\s\"'<>]{30,}", "Teams: webhooks, whole"),
    ("/t/", r"(?<=/t/)[a-z]{2}-(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{20,}", "Anaconda"),
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
    (
        "prv",
        r"(?<![A-Za-z0-9])[xyztuv]prv[A-Za-z0-9]{80,}",
        "Bitcoin: extended private keys",
    ),
    ("/bot", r"(?<=/bot)[0-9]{6,12}:[A-Za-z0-9_-]{20,}", "Telegram: bots in addresses"),
    ("$2", r"\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}", "hashes of bcrypt"),
    (
        "$",
        r"\$(?:1|5|6|y|gy|7|8|9|apr1|md5|sha1|bcrypt-sha256)\${1,2}(?:[\w=,]{1,40}\$)?[./A-Za-z0-9]{1,64}\${1,2}[./A-Za-z0-9+]{20,}",
        "crypt",
    ),
    ("$argon2", r"\$argon2(?:i|d|id)(?:\$[^\s$\"']{1,100}){3,4}", "hashes of Argon2"),
    (
        "hooks.slack.com/",
        r"(?<=/)T[A-Z0-9]{4,}/[AB][A-Z0-9]{4,}/(?:[0-9]{10,}/)?[A-Za-z0-9]{16,}",
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
