"""Secrets that programs wrap themselves, with indents and borders, are masked to their end."""

from __future__ import annotations

import random
import string

import pytest

from nagomi_tui.judge.advice import question
from nagomi_tui.masking import REDACTED, Masker, mask_lines
from nagomi_tui.sessions.transcript import Piece, Story, TextRow, standing, told
from tests.helpers.wrapping import KINDS, STYLES, Wrapped, wrapped

R = REDACTED
FEW = 4
"""Characters of a secret that may stay at the end of a row: they tell nothing."""
AFTER = ("", " now", " and more words follow it, so that the text goes on in the next row")


def _drawn(kind: str, style: str) -> list[Wrapped]:
    chance = random.Random(f"{kind} {style}")
    return [
        wrapped(KINDS[kind], STYLES[style], width, chance, after=AFTER[width % 3])
        for width in range(36, 121)
    ]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.requirement("N-86")
def test_secret_wrapped_at_any_width_is_masked_to_its_end(kind: str, style: str) -> None:
    leaking = [one for one in _drawn(kind, style) if one.shown(mask_lines(one.rows), FEW)]
    # A last piece may be a word of a language by chance.
    assert len(leaking) <= 2, leaking
    assert [one.rows for one in leaking if one.shown(mask_lines(one.rows), 12)] == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.requirement("N-86")
def test_history_requests_and_screens_hold_no_piece_of_a_wrapped_secret(kind: str) -> None:
    for one in _drawn(kind, "bullet")[::7]:
        rows = [TextRow("Hello there"), *map(TextRow, one.rows), TextRow("● Done.")]
        assert not one.shown(standing(rows), FEW)
        assert not one.shown(
            question([row.text for row in rows], cmd="", cwd="", os="")["log"], FEW
        )
        story, stored = Story(run=1.0), list[str]()
        for at, row in enumerate(rows):
            story, lines = told(
                story,
                Piece(session_id="a", name="a", at=1.0, run=1.0, next_line=at + 1, rows=(row,)),
            )
            stored += lines
        assert not one.shown(stored, FEW)


@pytest.mark.requirement("NB-3")
def test_wrapped_secret_is_masked_wherever_the_stream_is_cut() -> None:
    for kind in KINDS:
        rows = _drawn(kind, "box")[20].rows
        whole = Masker().lines(rows)
        for at in range(len(rows)):
            first = Masker()
            assert first.lines(rows[:at]) == whole[:at]
            assert Masker(first.state).lines(rows[at:]) == whole[at:]
        assert mask_lines(whole) == whole


@pytest.mark.parametrize("end", ["\n", "\\n"])
@pytest.mark.requirement("N-86", "N-93")
def test_private_key_is_masked_and_no_more_wherever_rows_cut_its_marks(end: str) -> None:
    chance = random.Random(end)
    body = [
        "".join(chance.choices(f"{string.ascii_letters}{string.digits}+/", k=64)) for _ in range(5)
    ]
    lines = [
        "-----BEGIN PRIVATE KEY-----",
        *body,
        "hI9jK1lM2nO4pQ==",
        "-----END PRIVATE KEY-----",
        "",
    ]
    after = ["client: ci@example.net", "number: 108117", "auth: https://example.net/o"]
    text = "\n".join(["as it says: " + end.join(lines), *after])
    for width in range(24, 110):
        rows = [
            line[at : at + width]
            for line in text.split("\n")
            for at in range(0, max(1, len(line)), width)
        ]
        shown = "".join(mask_lines([f"  {row}" for row in rows])).replace("  ", "")
        pieces = [piece[at : at + 6] for piece in lines[1:-2] for at in range(len(piece) - 5)]
        assert [piece for piece in pieces if piece in shown] == [], width
        assert shown.endswith("".join(after)), width


KEY = "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW1xY2zA4bC6dE8fG0"


@pytest.mark.parametrize(
    ("rows", "masked"),
    [
        # The next row tells of a row that it was not full by being longer.
        (["token: abc1def2ghi3", "a1b2c3d4 is the first of many more words"], ["token: " + R, None]),
        (["export API_KEY=abc1def2ghi3", "make build"], ["export API_KEY=" + R, None]),
        (["export API_KEY=abc1def2ghi3", "PATH=/usr/bin"], ["export API_KEY=" + R, None]),
        (["export API_KEY=abc1def2ghi3", "$ ls -la"], ["export API_KEY=" + R, None]),
        (["export API_KEY=abc1def2ghi3", "2026-11-28 10:00"], ["export API_KEY=" + R, None]),
        (["export API_KEY=abc1def2ghi3", "src/app.py"], ["export API_KEY=" + R, None]),
        (["export API_KEY=abc1def2ghi3", ""], ["export API_KEY=" + R, None]),
        (['export API_KEY="abc1def2ghi3"', "x7Yz9Qw2"], [f'export API_KEY="{R}"', None]),
        (["│ token: abc1def2       │", "│ q9Zx8Wv7 is a commit │"], [f"│ token: {R}       │", None]),
        (["│ token: abc1def2ghi3 │", "│ zxcvb               │"], [f"│ token: {R} │", f"│ {R}               │"]),
        (["export TOKEN=abc1def2\\", "horse and"], [f"export TOKEN={R}", f"{R} and"]),
        (["curl https://h/ \\", "  -H 'Accept: x' \\", "  -u alice:hunter2"], [None, None, f"  -u alice:{R}"]),
        (["docker login registry.example.net \\", "  -u me -p hunter2"], [None, f"  -u me -p {R}"]),
        (["    AWS_SECRET_ACC", "    ESS_KEY=" + KEY[:20]], [None, f"    ESS_KEY={R}"]),
        (["curl -H 'Authorization: Bearer", "  hunter2hunter2' https://h/"], [None, f"  {R}' https://h/"]),
        (["Authorization: Bearer", "  " + KEY], [None, "  " + R]),
        (["The shared secret we agreed on was", '  "hunter2x#Y"'], [None, f'  "{R}"']),
        (["GRANT ALL ON x TO y IDENTIFIED BY", "  'hunter2x#Y';"], [None, f"  '{R}';"]),
        (["Seed phrase: " + "orbit cruise famous lava tornado silent", "  bamboo rigid echo ginger salt rope"],
         ["Seed phrase: " + R, "  " + R]),
        # A value in quotes goes on to its quote, whatever is in it.
        (["SECRET_KEY = 'dj4ng0-$x(@", "  s%YAk6R@54=I(m'"], [f"SECRET_KEY = '{R}", f"  {R}'"]),
        (["AUTH = { secret: 'aB3dE5fG7", "hI9jK1lM==' }"], [f"AUTH = {{ secret: '{R}", f"{R}' }}"]),
        (["export API_KEY='abc1def2ghi3", "NAME='x7Yz9Qw2'"], [f"export API_KEY='{R}", None]),
        (['"MYSQL_ROOT_PASSWORD=correct horse', '  battery",'], [f'"MYSQL_ROOT_PASSWORD={R}', f'  {R}",']),
        (['│ "DB_PASSWORD=two words │', '│ here", "A=b"           │'], [f'│ "DB_PASSWORD={R} │', f'│ {R}", "A=b"           │']),
        (["'DB_PASSWORD=abc1def2 " + "go " * 80], [f"'DB_PASSWORD={R} " + "go " * 80]),
        # A value that did not fit stands alone in the next row.
        (["INSERT INTO users (name, password) VALUES ('bob',", "  'hunter2x#Y');"], [None, f"  '{R}');"]),
        (["conda config: channel_token", "  7d142a79bfd5c828d95dc50d766dd42eaa15"], [None, f"  {R}"]),
        (["curl -H 'X-Auth-Key:", "  0b39f286e76743434f3dad89ea8c7a5720b05' -H 'A: b'"], [None, f"  {R}' -H 'A: b'"]),
        # A name or a value that a row's end cuts is read as one.
        (["postgres=# CREATE ROLE app LOGIN PASSWOR", "  D 'hunter2x#Y';"], [None, f"  D '{R}';"]),
        (['connect("dbname=app user=bob pa', '  ssword=hunter2x7")'], [None, f'  ssword={R}")']),
        (["Password for 'https://bob@x.example': YI643+", "  sgjSg2"],
         [f"Password for 'https://bob@x.example': {R}", f"  {R}"]),
        # What began in the row above is masked there, too.
        (["git config --global github.token a3c545e", "  436948a7191f92f736a4bdd2d797e9d42"], [f"git config --global github.token {R}", f"  {R}"]),
        (["The generated admin password is: Falconc", "  offee525#"], [f"The generated admin password is: {R}", f"  {R}"]),
        (["client --user default --passw", "  ord TigerCloud6#"], [None, f"  ord {R}"]),
        (["swaks --auth-password Falco", "  nnight7# --server h"], [f"swaks --auth-password {R}", f"  {R} --server h"]),
        (["wget --http-password=Kum", "  o_5589 https://h/"], [f"wget --http-password={R}", f"  {R} https://h/"]),
        (["Log in with user admin and password BdYN", "  EoiV1PI1 (change it soon)"],
         [f"Log in with user admin and password {R}", f"  {R} (change it soon)"]),
        (["Settings(host='db', password=SecretStr('", "  TrZJRhN8XO0E'), port=1)"], [None, f"  {R}'), port=1)"]),
        (['<wsse:Password Type="PasswordText">hd6jO', "  3QgB79q</wsse:Password>"],
         [f'<wsse:Password Type="PasswordText">{R}', f"  {R}"]),
        # In a row that hangs below it a sentence goes on.
        (["• I set JWT_SECRET to", f"  {KEY[:32]} in .env.local"], [None, f"  {R} in .env.local"]),
        (["● I'll use the key", f"  {KEY} from"], [None, f"  {R} from"]),
        # So it does in a row below it that begins alike.
        (["  The initial password of the admin", "  account is ahF4wie-N and it expires."],
         [None, f"  account is {R} and it expires."]),
        (["  I have now reset the database password", "  for the staging host to birne-tasse-41"],
         [None, f"  for the staging host to {R}"]),
        (["  The token store of the new server", "  runs on host web-41 and it expires."], [None, None]),
        (["docker login -p abc1def2ghi3", "  registry.example.net"], [f"docker login -p {R}", None]),
        (["docker run -e TOKEN=abc1def2ghi3", "  postgres:16"], [f"docker run -e TOKEN={R}", None]),
        (["openssl enc -pass pass:abc1def2ghi3", "  -in a"], [f"openssl enc -pass {R}", None]),
        (["Passphrase: Hazel nut 8x", "Expire-Date: 0"], [f"Passphrase: {R}", None]),
        (["In [3]: settings.password", KEY[:24]], [None, R]),
        # What cannot be said is a piece of a key where a longer word would be one.
        (['api_key = os.environ.get("KEY", "V0swddB', '  ktP2QmXw8zR4")'],
         [f'api_key = os.environ.get("KEY", "{R}', f'  {R}")']),
        (["from .jwks_client import PyJWKClient", "import os"], [None, None]),
        (["key = load_pem_private_key(key, password=None)", "except ValueError:"], [None, None]),
        (["    def skip_to(self) -> Token:", '        """Skip tokens.'], [None, None]),
        (["SESSION_TIMEOUT_KEY = StashKey[float]()", "SESSION_EXPIRE_KEY = StashKey[float]()"], [None, None]),
        (["$ git log --oneline -1 -- secrets.py", "09a397f Add secrets"], [None, None]),
        (["$ docker secret create token t.txt", "n4n51vptw96ewuol3glp86c52"], [None, None]),
        (["Secret scan of the last commit", "7d142a79bfd5c828d95dc50d766dd42eaa15"], [None, None]),
        (["Description=Passphrase cache of the agent", "Documentation=man:gpg-agent(1)"], [None, None]),
        (["-----BEGIN PUBLIC KEY-----", KEY, "-----END PUBLIC KEY-----"], [None, None, None]),
        (["tokens: list[Token] = []", 'self._rest = b""'], [None, None]),
        (["● Use https://app:" + KEY[:9], "  " + KEY[9:20] + "@host/db"], [f"● Use https://app:{R}", f"  {R}@host/db"]),
        # What is left out in angle brackets has no rest.
        (["API_KEY=<your-api-key>", "TOKEN=${CI_JOB_TOKEN}"], [None, None]),
        (["password: <password>", "port: 8080"], [None, None]),
        (['<add key="ApiKey">', KEY[:24]], [None, R]),
        # A path is no name that goes on; what its row cuts of it goes on in a row as wide.
        (["DB_PASSWORD_FILE=/run/secrets/db-passwd", "PROFILE=production"], [None, None]),
        (["read it from /run/secrets/db-passwd", "PROFILE=production"], [None, None]),
        (["  https://docs.example/document/d/1nV", f"  {KEY[:35]}", f"  {KEY[35:43]}/edit"], [None, None, None]),
        (['  <img src="data:image/png;base64,iVBORw0KGgoal', f"  {KEY[:45]}", '  V7Ej1Ex29I3vM/SruvQ=">'], [None, None, None]),
        (["  arn:aws:secretsmanager:eu-west-1:481726350917:secret:prod/", "  db-a1B2c3"], [None, None]),
        (["see the docs at https://docs.example", ".net/path/of/it"], [None, None]),
        (["the password of the server is kept by", "the operator of it"], [None, None]),
        (["image docker://alpine:3", "next"], [None, None]),
        (["http://localhost:8080", "ready"], [None, None]),
        *(([f"at {sign}http://10.0.0.1:8080{end}", "go on"], [None, None])
          for sign, end in (("", "."), ("", "?"), ("(", ")."), ("**", "**"), ("「", "」。"))),
    ],
)  # fmt: skip
@pytest.mark.requirement("N-86")
def test_a_value_goes_on_only_where_its_row_was_full(
    rows: list[str], masked: list[str | None]
) -> None:
    assert mask_lines(rows) == [new or old for new, old in zip(masked, rows, strict=True)]
