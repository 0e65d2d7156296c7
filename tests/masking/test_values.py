"""Values of secrets are masked; names, separators, quotes and all that is no secret stay."""

from __future__ import annotations

import pytest

from nagomi_tui.masking import REDACTED, mask, mask_line

R = REDACTED
# Values are put together here, so that no scanner takes this file for a leak.
MIXED = "aB3dE5fG7hI9" + "jK1lM2nO4pQ6" + "rS8tU0vW"
LOWER = "a1b2c3d4e5f60718" + "293a4b5c6d7e8f90"
UPPER = "A1B2C3D4" + "E5F6G7H8"
HEADER = "ey" + "JhbGciOiJIUzI1NiJ9"
SPACED_HEADER = "ey" + "AiYWxnIjogIkhTMjU2IiwgInR5cCI6ICJKV1QiIH0"
PAYLOAD = "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0"

PAIRS = [
    ("token=abc", f"token={R}"),
    ("secret: abc", f"secret: {R}"),
    ('"api_key": "sk-1"', f'"api_key": "{R}"'),
    ("{'apiKey': 'abc'}", f"{{'apiKey': '{R}'}}"),
    ("AWS_SECRET_ACCESS_KEY=abc/def+g", f"AWS_SECRET_ACCESS_KEY={R}"),
    ("aws_session_token = abc", f"aws_session_token = {R}"),
    ("password=hunter2", f"password={R}"),
    ("passwd: hunter2", f"passwd: {R}"),
    ("pwd=hunter2", f"pwd={R}"),
    ("passphrase=hunter2", f"passphrase={R}"),
    ("client_secret = 'xyz'", f"client_secret = '{R}'"),
    ("clientSecret: xyz,", f"clientSecret: {R},"),
    ('token="a b c" next', f'token="{R}" next'),
    ('token="a \\" b" next', f'token="{R}" next'),
    ("token='''abc''' next", f"token='''{R}''' next"),
    ("export DB_PASS=foo", f"export DB_PASS={R}"),
    ("  password: my long phrase", f"  password: {R}"),
    ("  password: hunter2  # the old one", f"  password: {R}  # the old one"),
    ("- secret: abc", f"- secret: {R}"),
    ("API key: abc-1", f"API key: {R}"),
    ("password=12345", f"password={R}"),
    ("TOKEN: 12345", f"TOKEN: {R}"),
    ("API_KEY = 12", f"API_KEY = {R}"),
    ("SECRET=7", f"SECRET={R}"),
    ("export PASSWORD=0", f"export PASSWORD={R}"),
    ('GITHUB_TOKEN="7" make', f'GITHUB_TOKEN="{R}" make'),
    ("docker run -e API_KEY=1 image", f"docker run -e API_KEY={R} image"),
    ("MYSQL_ROOT_PASSWORD=password", f"MYSQL_ROOT_PASSWORD={R}"),
    ("SESSION_SECRET=a.b", f"SESSION_SECRET={R}"),
    ("OTP=123456", f"OTP={R}"),
    ('password: str = "hunter2"', f'password: str = "{R}"'),
    ("const token: string = 'abc'", f"const token: string = '{R}'"),
    ('token := "abc"', f'token := "{R}"'),
    ('"secret" => "abc"', f'"secret" => "{R}"'),
    ('os.environ["API_KEY"] = "abc"', f'os.environ["API_KEY"] = "{R}"'),
    ("Client(token=abc1, user=bob)", f"Client(token={R}, user=bob)"),
    ('{"a": "{\\"password\\": \\"x1\\"}"}', f'{{"a": "{{\\"password\\": \\"{R}\\"}}"}}'),
    ('name": "x", "password": "abc"', f'name": "x", "password": "{R}"'),
    ("?access_token=abc&user=bob", f"?access_token={R}&user=bob"),
    ("Server=x;Password=abc;User=y", f"Server=x;Password={R};User=y"),
    ("AccountName=x;AccountKey=abc==;", f"AccountName=x;AccountKey={R};"),
    ("//registry/:_authToken=abc", f"//registry/:_authToken={R}"),
    ("spring.datasource.password=abc", f"spring.datasource.password={R}"),
    ("password=a,b;c", f"password={R}"),
    ("パスワード：hunter2", f"パスワード：{R}"),
    ("トークン: abc123", f"トークン: {R}"),
    ("token=a token=b", f"token={R} token={R}"),
]

COMMANDS = [
    ("x --password hunter2 -v", f"x --password {R} -v"),
    ("x --token=abc", f"x --token={R}"),
    ("x --api-key 'a b'", f"x --api-key '{R}'"),
    ("x -password hunter2", f"x -password {R}"),
    ("sshpass -p hunter2 ssh h", f"sshpass -p {R} ssh h"),
    ("mysql -uroot -phunter2 db", f"mysql -uroot -p{R} db"),
    ("docker login -u me -p hunter2 host", f"docker login -u me -p {R} host"),
    ("redis-cli -h x -a hunter2", f"redis-cli -h x -a {R}"),
    ("curl -u user:hunter2 http://h", f"curl -u user:{R} http://h"),
    ("curl -b 'sid=abc' http://h", f"curl -b 'sid={R}' http://h"),
    ("openssl rsa -passin pass:hunter2", f"openssl rsa -passin pass:{R}"),
    ("aws configure set aws_secret_access_key abc", f"aws configure set aws_secret_access_key {R}"),
    ("machine h login me password hunter2", f"machine h login me password {R}"),
    ("ALTER USER me WITH PASSWORD 'abc';", f"ALTER USER me WITH PASSWORD '{R}';"),
    ("CREATE USER me IDENTIFIED BY 'abc'", f"CREATE USER me IDENTIFIED BY '{R}'"),
]

PHRASES = [
    ("<password>hunter2</password>", f"<password>{R}</password>"),
    ('<add key="ApiKey" value="abc1"/>', f'<add key="ApiKey" value="{R}"/>'),
    ('{"name": "API_KEY", "value": "abc1"}', f'{{"name": "API_KEY", "value": "{R}"}}'),
    ("ENV DB_PASSWORD hunter2", f"ENV DB_PASSWORD {R}"),
    ("npm config set //r/:_authToken abc", f"npm config set //r/:_authToken {R}"),
    ("set -gx API_KEY abc", f"set -gx API_KEY {R}"),
    ("the password is hunter2", f"the password is {R}"),
    ("パスワードはhunter2です", f"パスワードは{R}です"),
    ("echo hunter2 | docker login --password-stdin", f"echo {R} | docker login --password-stdin"),
    ("Secret Access Key [None]: abc", f"Secret Access Key [None]: {R}"),
    ("pass=hunter2", f"pass={R}"),
]

CARRIED = [
    # What is drawn by chance is told by itself, wherever it stands.
    (f"/connect irc.example.org 6667 {MIXED[:12]}", f"/connect irc.example.org 6667 {R}"),
    (f"the db one is {MIXED[:10]}, is it?", f"the db one is {R}, is it?"),
    ("Authorization: Bearer abc", f"Authorization: Bearer {R}"),
    ("authorization: Basic dXNlcjpw", f"authorization: Basic {R}"),
    ("Proxy-Authorization: token abc", f"Proxy-Authorization: token {R}"),
    ("Authorization: abc123", f"Authorization: {R}"),
    ('Authorization: Digest username="x", response="y"', f"Authorization: Digest {R}"),
    ('{"Authorization": "Bearer abc"}', f'{{"Authorization": "Bearer {R}"}}'),
    ('curl -H "Authorization: Bearer abc" h', f'curl -H "Authorization: Bearer {R}" h'),
    (f"got Bearer {MIXED} here", f"got Bearer {R} here"),
    ("X-Api-Key: 12345abc", f"X-Api-Key: {R}"),
    ("Set-Cookie: sid=abc; Path=/; HttpOnly", f"Set-Cookie: sid={R}; Path=/; HttpOnly"),
    ("Cookie: a=b; session=xyz", f"Cookie: a={R}; session={R}"),
    ("postgres://user:pw@host/db", f"postgres://user:{R}@host/db"),
    ("postgres://user:p@s/s@host/db", f"postgres://user:{R}@host/db"),
    ("redis://:pw@host:6379", f"redis://:{R}@host:6379"),
    (f"https://{MIXED}@host/1", f"https://{R}@host/1"),
    (f"https://h/c?sv=1&sig={MIXED}%3D", f"https://h/c?sv=1&sig={R}"),
    (f"x {HEADER}.{PAYLOAD}.c2ln-_9", f"x {R}"),
    (f"x {SPACED_HEADER}.{PAYLOAD[3:]}abc.c2lnbmF0dXJlLWhlcmU", f"x {R}"),
    (f"cut {HEADER}.{PAYLOAD[:12]}", f"cut {R}"),
    (f"your new token is {MIXED}", f"your new token is {R}"),
    (f"{MIXED} is the API key", f"{R} is the API key"),
    (f"the token {LOWER}", f"the token {R}"),
]

PLAIN = [
    "Python 3.11.7",
    "pip 24.0.1",
    "pkg.sub.module",
    "www.example.com",
    "192.168.0.1",
    "file.test.py",
    "self.assertEqual.__name__",
    "node_modules/.bin/a.b.c",
    "2026.11.21",
    "org.apache.commons",
    "secret = get_secret()",
    "token = await get_token()",
    "token: str",
    "def f(token: str, password: Optional[str] = None):",
    'api_key=os.environ["API_KEY"]',
    "const clientSecret = process.env.CLIENT_SECRET",
    'let secret: &str = env!("SECRET");',
    "token = self.token",
    "login(password=password, token=access_token)",
    "token=***",
    "secret=$VAR",
    "secret=${{ secrets.VAR }}",
    'password="${PASSWORD}"',
    "token=<token>",
    "password: xxxxxxxx",
    "  --token TOKEN        the token to use",
    "  --token <token>",
    "  --token string   API token",
    "  --password  the password of the user",
    "--password-stdin --token-file /run/x",
    "token_type: bearer",
    "max_tokens=4096, input_tokens: 123456",
    "tokens: 1200",
    "tokens: 7",
    "token: 5 of 9",
    "max_tokens=1, MAX_TOKEN=8, TOKENS=7",
    "REQUIRE_PASSWORD=1 USE_TOKEN=true",
    "API_KEY=none SECRET=value TOKEN=xxxxxxxx PASSWORD=***",
    "API_KEY=$KEY SECRET=$(get) TOKEN=${1:-} PASSWORD=<password>",
    'SECRET=get_secret() TOKEN=os.environ["TOKEN"]',
    "PRIVATE_KEY=/etc/ssl/private.pem",
    'ERROR_TOKEN="the token is invalid"',
    "total_token: 33, secrets: 3",
    "ms per token: 45",
    "cost per token: 0.002",
    "secretary: meeting at 10",
    "secretly: 10 days",
    "Password:",
    'password = input("Password: ")',
    'print("Password: ", value)',
    "SyntaxError: Unexpected token: punc (})",
    "error: invalid token: foo",
    "token: expired",
    "if token == expected or secret != other:",
    '"secret": {"type": "string"}',
    "PWD=/home/user/project",
    "pwd: /home/user",
    "the password is required",
    "pass=12 fail=3",
    "cache_key=abc primary_key: 5",
    "docker.io/library/token:latest",
    "test_masking.py::test_token PASSED",
    'headers = {"Authorization": f"Bearer {token}"}',
    "Authorization: Bearer $TOKEN",
    "bearer authentication is required",
    "git@github.com:user/repo.git",
    "ssh://git@host/x postgres://user@host/db",
    "http://localhost:8080/path/@user",
    "id=550e8400-e29b-41d4-a716-446655440000 token refreshed",
    f"commit {LOWER}a0b1c2d3 (HEAD -> token-refactor)",
    f"{LOWER}{LOWER}  token.tar.gz",
    f"object id {MIXED} alone",
    f"chunk {MIXED[:18].lower()} alone",
    "customer cus_Q2mN8vR7sT1uW5 updated",
    "https://video.example.com/watch?v=0Kzj8nKQ-hX",
    "use ChaCha20Poly1305 and X448PublicKey, or ParseIPv4Host",
    f"key fingerprint is SHA256:{MIXED}",
    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5{MIXED} my key",
    f'"integrity": "sha512-{MIXED}=="',
    f"data:image/png;base64,{MIXED}{MIXED}",
    "PASSED tests/core/test_tokens.py [ 45%]",
    "2026-11-21T08:46:27Z INFO refreshed auth token in 12 ms",
    "drwxr-xr-x  5 root root  4096 Nov 21 08:12 secrets",
    "NAGOMI_SESSION_ID=550e8400-e29b-41d4-a716-446655440000",
]


@pytest.mark.parametrize(("line", "masked"), PAIRS)
@pytest.mark.requirement("N-89", "NB-2")
def test_value_after_a_name_is_masked_whole(line: str, masked: str) -> None:
    assert mask_line(line) == masked


@pytest.mark.parametrize(("line", "masked"), COMMANDS)
@pytest.mark.requirement("NB-2")
def test_secret_given_to_a_command_is_masked(line: str, masked: str) -> None:
    assert mask_line(line) == masked


@pytest.mark.parametrize(("line", "masked"), PHRASES)
@pytest.mark.requirement("N-89")
def test_secret_given_in_a_phrase_is_masked(line: str, masked: str) -> None:
    assert mask_line(line) == masked


@pytest.mark.parametrize(("line", "masked"), CARRIED)
@pytest.mark.requirement("N-88", "N-90", "N-91")
def test_headers_urls_tokens_and_random_words(line: str, masked: str) -> None:
    assert mask_line(line) == masked


@pytest.mark.parametrize("line", PLAIN)
@pytest.mark.requirement("NB-1", "NB-2")
def test_what_is_no_secret_is_left_alone(line: str) -> None:
    assert mask_line(line) == line


@pytest.mark.parametrize("line", [masked for _, masked in PAIRS + COMMANDS + PHRASES + CARRIED])
@pytest.mark.requirement("N-92")
def test_masked_text_is_not_masked_again(line: str) -> None:
    assert mask_line(line) == line


@pytest.mark.requirement("N-93")
def test_a_text_keeps_its_lines_and_line_ends() -> None:
    text = "one\r\ntoken=abc\r\n\r\n  password=x\nlast"
    assert mask(text) == f"one\r\ntoken={R}\r\n\r\n  password={R}\nlast"


@pytest.mark.requirement("NB-1")
def test_jwt_without_a_readable_header_stays() -> None:
    line = "eyebrow.raised.again " + "eyesofthebeholder1.eyesofthebeholder2.eyesofthebeholder3"
    assert mask_line(line) == line
