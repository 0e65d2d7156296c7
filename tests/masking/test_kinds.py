"""Each way in which a secret is shown, by a few of its kind, and what is written alike but is none."""

from __future__ import annotations

import pytest

from nagomi_tui.masking import REDACTED, Masker, mask

R = REDACTED
# Values are put together here, so that no scanner takes this file for a leak.
MIXED = "aB3dE5fG7hI9" + "jK1lM2nO4pQ6"
HEX = "0a1b2c3d" * 4
SUM = "0a1b2c3d4e" * 4


@pytest.mark.parametrize(
    "command",
    [
        "$ echo $GITHUB_TOKEN",
        "❯ printenv OPENAI_KEY",
        "PS C:\\> $env:API_TOKEN",
        "bob@host:~/app$ sudo cat /etc/wireguard/private.key",
        "$ gopass show -o db/prod",
        "$ sometool secrets get stripe",
        "$ sometool show-password db",
        "$ step ca token --issuer bob",
        "⏺ Bash(cat .secrets/api-token)",
        '>>> os.environ["API_TOKEN"]',
        "In [3]: settings.password",
        "irb> ENV['TOKEN']",
        '$ node -p "process.env.SECRET"',
    ],
)
@pytest.mark.requirement("N-86")
def test_what_a_command_prints_that_names_a_secret_is_masked(command: str) -> None:
    for shown in (MIXED, f"  ⎿  {MIXED}", f"'{MIXED}'"):
        assert mask(f"{command}\n{shown}") == f"{command}\n{shown.replace(MIXED, R)}"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("$ git rev-parse HEAD", SUM),
        ("$ git show -s --format=%H token-branch", SUM),
        ("$ docker secret create token t.txt", "n4n51vptw96ewuol3glp86c52"),
        ("$ kubectl get secret -o name", "secret/app-token-1"),
        ("$ wc -l passwords.txt", "482 passwords.txt"),
        ("$ cat token.go", "package main"),
        ("$ echo $TOKEN_FILE", "/run/secrets/token"),
        ("$ echo $HOME", "/home/bob"),
        ("$ ls secrets", "token1.txt"),
    ],
)
@pytest.mark.requirement("NB-1")
def test_what_names_no_secret_or_is_a_name_itself_is_kept(command: str, output: str) -> None:
    assert mask(f"{command}\n{output}") == f"{command}\n{output}"


@pytest.mark.parametrize(
    "before",
    [
        "web-1  | ",
        "[pod/web-6c4d/app] ",
        "2026-02-11T09:14:03.2214587Z ",
        "2026-02-11 09:14:03,221 ",
        "Feb 11 09:14:03 host app[812]: ",
    ],
)
@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("Please use the following password to proceed to installation:", HEX),
        ("The initial admin password was generated:", "ahF4wie-Nq3x"),
        ("Your recovery codes:", "k7p2x-9mqrt"),
    ],
)
@pytest.mark.requirement("N-86", "N-93")
def test_a_value_announced_in_gathered_output_is_masked_without_what_gathers_it(
    before: str, said: str, value: str
) -> None:
    lines = [before + said, before, before + value, before, f"{before}Listening on port 8080"]
    assert mask("\n".join(lines)) == "\n".join(lines).replace(value, R)
    bare = [line.rstrip() for line in lines]
    assert mask("\n".join(bare)) == "\n".join(bare).replace(value, R)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("- name: DB_PASSWORD", "  value: {}"),
        ('    "name": "API_TOKEN",', '    "value": "{}"'),
        ("<key>Password</key>", "<string>{}</string>"),
        ("<name>secretKey</name>", "<value>{}</value>"),
    ],
)
@pytest.mark.requirement("N-86")
def test_a_value_in_the_line_below_its_name_is_masked(name: str, value: str) -> None:
    assert mask(f"{name}\n{value.format(MIXED)}") == f"{name}\n{value.format(R)}"
    for kept in ("  valueFrom: x1y2z3", '    "type": "a1b2c3"'):
        assert mask(f"{name}\n{kept}") == f"{name}\n{kept}"


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("INSERT INTO u (name, password) VALUES ('bob', 'hunter2');", "'bob', '***'"),
        ("insert into u (secret, id) values ('a1b2c3', 4), ('x''y9', 5)", "('***', 4), ('***', 5)"),
        ("ALTER ROLE bob PASSWORD 'it''s two words';", "PASSWORD '***';"),
        ("INSERT INTO logs (level, text) VALUES ('info', 'token a1b2');", "'info', 'token a1b2'"),
        ("sqlite> select name, token from s;\nbob|a1b2c3d4", "bob|***"),
        ("sqlite> select name, age from s;\nbob|a1b2c3d4", "bob|a1b2c3d4"),
    ],
)
@pytest.mark.requirement("N-86", "NB-1")
def test_values_of_columns_that_hold_secrets_are_masked(line: str, masked: str) -> None:
    assert masked.replace("***", R) in mask(line)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("the password is \"open the door 7\"", False),
        ("the password's \"open the door 7\"", False),
        ("use passphrase hunter2x to unlock", False),
        ("I changed your password to hunter2x", False),
        ("The password of the ci user was changed last night to hunter2", False),
        ("token → hunter-7072", False),
        ("bob's password is now stoneBerlin!", False),
        ("The password is checked and the result is Done!", True),
        ("hunter2x (password)", False),
        ("Your one-time password is 482910", False),
        ("482910 is your login code", False),
        ("Use this code to sign in: 482 910", False),
        ("pairing PIN: 4829", False),
        ("credentials: admin:hunter2x", False),
        ("合言葉は hunter2x です", False),
        ("管理者のパスワードを hunter2x に変更しました", False),
        ("密码: hunter2x", False),
        ("비밀번호: hunter2x", False),
        ("contraseña: hunter2x", False),
        ("Mot de passe : hunter2x", False),
        ("Password (again): hunter2x", False),
        ("password → hunter2x", False),
        ("login/pass: bob / hunter2x", False),
        ("creds bob:hunter2x", False),
        ("My PIN is 4829", False),
        ("sudo password: open the door 7", False),
        ("passphrase → Open Door 77", False),
        ("the password of it is still \"Open Door 77\", I think", False),
        ("A new password is set for this session: hunter2xkq", False),
        ("backup code: 7B1D-9E0C", False),
        ("setup code: 873-35-528", False),
        ("Error code: 7B1D-9E0C", True),
        ("serial AB1C-D2EF-3GH4-J5KL-6MN7", False),
        ("Jan-2026-June-2027-release", True),
        ("creds are bob OpenDoor77", False),
        ("see open-Door-77 there", False),
        ("Open.Door.77", False),
        ("open-door-77", True),
        ("getInt64 utf16Base64", True),
        ("log in as bob with openDoor77", False),
        ("Your pairing code is: lucky-vivid-winner", False),
        ("the PIN for the door is 9970", False),
        ("Your backup codes: 8974 5739, 2788 4253", False),
        ('send "hunter2x\\r"', False),
        ("rename {secrets => credentials}/keys.py", True),
        ("master.key: " + HEX, False),
        ("cache key: v2-linux-x64-node20-8d7c6b5a", True),
        ("Secret Recovery Phrase\nripple candle oxygen mule fabric", False),
        ("secrets:\n  mail: hunter2xq\nnext: hunter2xq", False),
        ("createUser bob SHA \"openDoor77\" AES \"closeDoor78\"", False),
        ("key = env.get(\"API_KEY\") or \"open-door-77\"", False),
        ("label = env.get(\"API_KEY_LABEL\") or \"open-door-77\"", True),
        ("\"github-oauth\": {\"github.com\": \"" + HEX + "\"}", False),
        ("\"oauth\": {\"client_id\": \"" + HEX + "\"}", True),
        ("smb -U bob%openDoor77 x", False),
        ("https://bob@corp:open-Door-77@git.local/x", False),
        ("/link?next=%2Fx%3Ftoken%3Dopen77door%26y", False),
        (f"0x{HEX}{HEX} (private key)", False),
        (f"iv={HEX} key={HEX}{HEX}", False),
        (f"seen {MIXED} there", False),
        (f"commit `{MIXED}` there", False),
        (f"object {MIXED}", True),
        (f"PublicKey = {MIXED}{MIXED[:19]}=", True),
        ("Your OTP is 482910. Do not share it.", False),
        ("Enter the code 482910 to continue", False),
        ("PINs are 4 digits long", True),
        ("Use hunter2x as the password.", False),
        ("Use one as the password.", True),
        ("? Password hunter2x", False),
        ("認証番号：482910", False),
        ("パスワードを入力: hunter2x", False),
        ("秘密の合言葉「hunter2x」", False),
        ("パス: /usr/local/bin", True),
        ("the token is \"not valid\"", True),
        ("I changed the password; the new one is birne-tasse-41", False),
        ("the password was reset. It is now birne-tasse-41", False),
        ("I fixed the token store; it is in src-auth-store-2", True),
        ("the token was invalid; it is now ed25519-based", True),
        ("use the token bucket", True),
        ("482910 is your order number", True),
        ("pin: 13", True),
        ("spin: 4829", True),
        ("the key to it: 482910", True),
        ("パスワードは1Passwordに保存してあります", True),
    ],
)  # fmt: skip
@pytest.mark.requirement("N-86", "NB-1")
def test_secrets_in_sentences_are_masked(line: str, kept: bool) -> None:
    assert (mask(line) == line) is kept


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("echo hunter2x | kinit bob", False),
        ("printf '%s' hunter2x | docker login -u bob --password-stdin", False),
        ("echo hunter2x | mytool set-password", False),
        ("echo hunter2x | tee auth.log", True),
        ("echo done | mytool login", True),
        ("cargo login " + MIXED, False),
        ("vault operator unseal " + MIXED, False),
        ("bw unlock 'my master words'", False),
        ("composer config http-basic.r.example.com bob hunter2x", False),
        ("ssh-keygen -N 'pass for key' -f k", False),
        ("tacacs-server key hunter2x", False),
        ("ntp authentication-key 1 md5 hunter2x", False),
        ('zone { secret "' + MIXED + '"; };', False),
        ('secret "db" deleted', True),
        ("rclone lsd remote:bucket", True),
        ('password <- "hunter2x"', False),
        ('password <- readline("Password: ")', True),
        ('server.login(user, "hunter2x")', False),
        ('<entry key="db.password">hunter2x</entry>', False),
        ("passwd bob <<< hunter2x", False),
        ("diff a <<< hunter2x", True),
        ("mosquitto_passwd -b f bob hunter2x", False),
        ("wpa_passphrase home 'blue garden 12'", False),
        ("yes hunter2x | passwd bob", False),
        ("luksOpen x --key-file=<(echo -n hunter2x)", False),
        ('expect -c \'expect "assword:"; send "hunter2x\\r"\'', False),
        ('#define WIFI_PASSWORD "hunter2x"', False),
        ("#define TOKEN_MAX 256", True),
        ("option key 'hunter2x'", False),
        ('pre-shared-key ascii-text "hunter2x"', False),
        ("pdftk a.pdf output b.pdf user_pw hunter2x", False),
        ("qpdf --encrypt first second 256 -- in.pdf out.pdf", False),
        ('#define WIFI_PASS "two words"', False),
        ("\toption key 'three plain words'", False),
        ("[mx.example.com]:587 bob@example.com:hunter2x", False),
        ("bob:{PLAIN}plainword:1000:1000::/home/bob", False),
        ("evil-winrm -i 10.0.0.1 -u admin -p 'two w0rds'", False),
        ("  db pass tulip-garden-walk", False),
        ('{"text":"the password is \\"open the door 7\\""}', False),
        ("cqlsh -p plainword host", False),
        ("kubectl delete secret old-tls-2023", True),
        ('tar cf - "$Pwd" | zstd -f > "$tar.tar.zst2"', True),
        (r"the second passphrase cache\.$", True),
        ("PASS src/login2.test.js", True),
        ("PASS FalconAmber?", False),
        ("ftp> user bob riverMaple?", False),
        ("| password | BerlinCloud? |", False),
        ("    struct rsa2 private_key *priv);", True),
        ("TelemetryKey=7a2076d8-f9de-4963-b7db-e603a4ea79a7;Endpoint=https://x", False),
        ("order-cache-key: 7a2076d8-f9de-4963-b7db-e603a4ea79a7", True),
        ("PASSWORD: ${DB_PASSWORD:-postgres}", True),
        ('token: "${{ secrets.DEPLOY_TOKEN }}"', True),
        ("Author-Token: see README", True),
        (
            "seed: 1. absent 2. pumpkin 3. velvet 4. orbit 5. cruise 6. famous 7. lava 8. tornado 9. silent 10. bamboo 11. rigid 12. echo",
            False,
        ),
        ("anytool -h db -u amy -p plainword list", False),
        ("anytool -h db -U amy -p 5433 -w 80", True),
        ("mysql -u root -p shop", True),
        ("docker run -u amy -p plainword image", True),
        ("dig @ns1 example.com AXFR -y hmac-sha256:xfer:" + MIXED, False),
        ("wireless.radio0.key='hunter2x'", False),
        ("tool: Paste an API key from your profile and hit enter: " + SUM, False),
        ("enter password for new repository: three plain words", False),
        ("enter password for new repository: it is wrong", True),
        ("secret: super-secret-value-99", False),
        ("network_key: [12, 94, 201, 33, 7, 180, 22, 9]", False),
        ("static const u1_t APPKEY[8] = { 0x74, 0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7 };", False),
        ("sizes: [12, 94, 201, 33, 7, 180, 22, 9]", True),
        ("Manual pairing code: 34970112332", False),
        ("eas secret:create --name A --value " + SUM, False),
        ("SET PASSWORD FOR 'bob'@'%' = 'plain words';", False),
        ("? What is the database password? › Heron&Lark", False),
        ("비밀번호는 hunter2x 입니다", False),
        ("पासवर्ड है hunter2x", False),
        ("كلمة المرور: hunter2x", False),
        ("app --root-keys.app-key.key " + HEX, False),
        ("vpn up --setup-key 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d", False),
        ("db start --user root --pass plain-word", False),
        ("set service snmp community hunter2x", False),
        ("비밀번호는 12자 이상이어야 합니다", True),
        ("https://api.example.com/v1?key=" + HEX + "&steamids=7", False),
        ("Stream key: b0pk-mjkg-tarh-xra5-tnvu", False),
    ],
)
@pytest.mark.requirement("N-86", "NB-1")
def test_secrets_in_command_lines_and_configuration_are_masked(line: str, kept: bool) -> None:
    assert (mask(line) == line) is kept


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("app:hunter2x@tcp(db:3306)/app", False),
        ("bob:hunter2x@db.example.com", False),
        ("bob@example.com:hunter2x", False),
        ("git@github.com:o/r2.git", True),
        ("mailto:bob1234@example.com", True),
        ("app:1.2.3a@sha256:" + HEX, True),
        ("scp f bob@h.example.com:/srv/a1b2c3", True),
    ],
)
@pytest.mark.requirement("N-86", "NB-1")
def test_logins_before_a_host_are_masked_without_a_scheme(line: str, kept: bool) -> None:
    assert (mask(line) == line) is kept


@pytest.mark.parametrize(
    "line",
    [
        "token: CancellationToken = CancellationToken.None",
        "TOKEN=`cat token.txt`",
        "- `API_KEY`: the key of the service (required)",
        'token: "keyword.control"',
        "  id-token: write",
        "  password = random_password.db.result",
        "pub fn with(mut self, token: impl Into<String>) -> Self {",
        '"jsonwebtoken": "^9.0.2",',
        '"password-validator": "^5.3.0",',
        'password-hash = "0.5.0"',
        "password-generator: 1.0.0-beta.2",
        "WIP on token: 4df73c6 Add key",
    ],
)
@pytest.mark.requirement("NB-1", "NB-2")
def test_types_rights_versions_and_prose_under_the_name_of_a_secret_are_kept(line: str) -> None:
    assert mask(line) == line


@pytest.mark.requirement("N-86")
def test_words_that_make_a_wallet_again_are_masked_below_their_name() -> None:
    words = ["apple", "banana", "cactus", "dolphin"]
    listed = [f" {at}. {word}" for at, word in enumerate(words, 1)]
    for rows in (listed, [" ".join(words)]):
        masked = Masker().lines(["Your recovery phrase:", *rows, "Keep it safe."])
        assert masked[0] == "Your recovery phrase:" and masked[-1] == "Keep it safe."
        assert not any(word in "".join(masked) for word in words)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('"passwords": ["hunter2x", "Zebra#42"]', False),
        (f'tokens: ["{MIXED}"]', False),
        (f"apiKeys:\n  - {MIXED}\n  - {MIXED}", False),
        ('tokens: ["hel", "lo"]', True),
        ('PASSWORD_HASHERS = ["a.b.Argon2PasswordHasher"]', True),
        ("secrets:\n  - db_password\n  - api_key", True),
        ("passwords:\n  - hunter2x", False),
        ("# client  server  secret  IP addresses\nbob  *  hunter2x  *", False),
        ('(gdb) p password\n$1 = "hunter2x"', False),
        (">>> os.environ['DB_PASSWORD']\n'hunter2x'", False),
        (">>> settings.token\n'expired'", True),
        ("S: 334 UGFzc3dvcmQ6\nC: aHVudGVyMngh", False),
    ],
)
@pytest.mark.requirement("N-86", "NB-1")
def test_lists_of_secrets_are_masked(text: str, kept: bool) -> None:
    assert (mask(text) == text) is kept
    assert kept or not any(word in mask(text) for word in ("hunter2x", "Zebra", MIXED))


@pytest.mark.requirement("N-86")
def test_a_value_below_the_name_that_was_asked_for_is_masked() -> None:
    for asked, name in (
        ("$ etcdctl get /app/db/password", "/app/db/password"),
        ("$ redis-cli config get requirepass", '1) "requirepass"'),
    ):
        assert mask(f"{asked}\n{name}\n{MIXED}") == f"{asked}\n{name}\n{R}"


@pytest.mark.parametrize(
    "text",
    [
        # Whatever stands around it: signs, digits and both cases side by side.
        "try {s} for now",
        'AT+CWJAP="Home","{s}"',
        "sometool superuser upsert amy@x.com {s}",
        "PRAGMA key = '{s}';",
        # Near a word that says secret, with next to nothing between.
        "  user admin insecure-password {m}",
        "the box: ssh root@10.1.2.3, pw {m}",
        "DEBUG Pool - password........................'{m}'",
        "Passwort für den Server ist jetzt {m}",
        "mdp : {m}",
        "heslo je {m}",
        "set vpn ipsec authentication pre-shared-secret {m}",
        "remotepass = {m}",
        # Beside a user, a verb or a host.
        "stats auth admin:{m}",
        "tool -n amy:{m} -l",
        "SQL> connect scott/{m}@//db:1521/X",
        "user amy {m}",
        'https://dav.example.com/ amy "{m}"',
        "steamcmd +login amy {m} +quit",
        # An argument of a call that is given a password.
        'new NetworkCredential("amy", "{m}")',
        'mysqli_connect("localhost", "root", "{m}", "shop");',
        'WiFi.begin("Home", "{m}");',
        'new ethers.Wallet("{h}")',
        # Several lines.
        '$ grep DB_PASSWORD .env | cut -d= -f2\n{m}',
        '[admins]\namy = {m}',
        "Das Passwort lautet: {d}",
        "the admin password is {d} if you need it",
        "la contraseña es {d}",
        "password for db.example.com: {d}",
        "your password: it is {d}",
        "machine api.example.com login amy password {t}",
        'name="password"\n\n{m}',
        'export PASSPHRASE="$(cat <<X\n{m}\nX',
        "# client\tserver\tsecret\tIP\namy\tl2tpd\t\"{m}\"\t*",
        "user,pass\namy,{m}",
        # Words joined, where a password is sure to stand.
        'client.withCredentials("amy", "{w}")',
        'create_superuser("admin", "a@b.co", "{w}")',
        'basic_auth("amy", Some("{p}"))',
        "tool -u amy -p {w} https://x.example",
        "nmap -p- h; tool -l amy -K {m} list",
        "tool smb 10.0.0.3 -u amy -X {m}",
        "security add-generic-password -a amy -s x -w {w}",
        "tool --user amy --pass {w}",
        "steamcmd +login amy {w} +quit",
        "stats auth amy:{w}",
        "user amy {w}",
        "user: root / {w}",
        "pw for the box is {w}",
        "Le mot de passe est {p}",
        'The password is "{p}"',
        'page.fill("#password", "{p}")',
        'ssh.Password("{w}")',
        "password ({w})",
        "ENV JWT_SECRET {p}",
        "cryptsetup open x <<< '{p}'",
        "echo '{p}' | zfs load-key tank",
        "$ sops -d app.yaml\nsmtp: {w}",
        # Keys told by their form alone.
        "the key for the weather api is {h}",
        "tool --setup-key {g}",
        "Enter {b} in your authenticator",
        "AUTH LOGIN\n334 VXNlcm5hbWU6\n334 UGFzc3dvcmQ6\n{m}",
        "see https://x.example/join/{r}",
        "log: signing in with {l}",
        "Recovery codes: {c}",
        "anything={r}",
        'https://x.example/invite?t={r}',
        "x.y_z: {r}/{r}+{r}",
        'auth payload {{"u":"bob","p":"{f}"}}',
        "login: bob, p: {f}",
        "{{auth, {{\"bob\", \"{m}\"}}}}",
        "Wi-Fi: Guest / {m}",
        "I reset it to {f}7 (temporary password)",
        "Su contraseña temporal es: {f}",
        "您的新密码为：{f}",
        'exec("/usr/bin/mysql", ["mysql", "-uroot", "-p{m}"])',
        "psexec.py corp/bob:{m}@10.0.0.4",
        "geheimcode = '{f}'",
        '"ssh_key_unlock": "{r}"',
        "接続パスワード（{m}）",
        "unlock -rp {e}",
        "ASP.NET_SessionId={q}",
        "var.db_password\n  Enter a value: {m}",
        "管理者のパスワードは次の通りです\n{m}",
    ],
)  # fmt: skip
@pytest.mark.requirement("N-86")
def test_values_are_told_by_their_shape_and_what_is_near(text: str) -> None:
    values = {
        "s": "k7-Zp" + "!qWd", "m": "brisk" + "Heron41", "h": HEX, "w": "brisk_" + "heron41", "p": "brisk-" + "heron-lantern",
        "l": "F4lc0n" + "#2018", "b": "QLKJG7RR" + "236MLMEM", "r": MIXED, "g": "AB12CD34-EF56-" + "AB78-CD90-EF12AB34CD56",
        "c": "21f9bfe1" + "4c 2483b7fcdb", "d": "Night" + "heron9", "t": "two" + "-Words", "f": "brisk" + "Heron#", "e": "-".join(["422935"] * 8), "q": "2p9rhcxfv4pd" + "f4tkwgwb0x3m",
    }  # fmt: skip
    given = text.format_map(values)
    shown = mask(given)
    assert R in shown and not any(value in shown for value in values.values()), shown


@pytest.mark.parametrize(
    "text",
    [
        "$password = Read-Host -AsSecureString 'Password'",
        '{"token": 123, "score": 0.98}',
        "Use a password manager such as KeePassXC-2.7.",
        "--set-secrets=DB_PASS=db-pass:latest",
        "キー: Ctrl+Shift+P で開きます",
        "Passwort-Hash-Verfahren: argon2id (v=19)",
        "docker run -e DB_PASSWORD app:1.2.3",
        "● Added `token_ttl_v2` (default 3600s) to auth/config.py:57",
        "why does token refresh fail on iOS-17?",
        "toolu_01A09q90qw90lq917835lq9 finished (token budget 4k)",
        "const [token, setToken] = useState<string | null>(null);",
        "ALTER USER app WITH PASSWORD :'newpw';",
        "tests/test_auth.py::test_token_expires[a1B2c3D4-refresh] PASSED",
        "--- PASS: TestSecretStore/returns_ErrNotFound_for_key_7 (0.00s)",
        "Setting up libsecret-1-0:amd64 (0.20.5-3) ...",
        "password_encryption = scram-sha-256",
        "Get:42 https://x.example/ passwd amd64 1:4.13+dfsg1-1+b1 [985 kB]",
        "issue KiroCrew#12509, HEAD~2, String#to_s2, Sheet1!A1, 1.2~rc1Foo, sqlite3_stmt*pStmt",
        "etag W/\"" + "d9gvSKXRAw5Zuq" + "pKDcdYpYa6wtN\"",
        "PASSWORD_RESET_TIMEOUT = 3600",
        "set imap_pass = \"`pass show mail`\"",
        "  Secrets:        app-tls (1164 bytes)",
        "fun login(user: String, password: CharArray): Session",
        "API key: sk-ant-...x4Qw",
        "example.com. 3600 IN DNSKEY 257 3 13 " + "mdsswUyr3DPW132mOi8V9xESWE8j" + "TojnopKl+GqJxpVXckHAeF+Kkx==",
        "Change-Id: I" + "7f3c2b1a9d" * 4,
        "cache key is " + HEX,
        "eas secret:create --force",
        "UPDATE users SET password_changed_at = now() WHERE id = 42;",
        "Mountable secrets:   default-token-x7k2p",
        '<string name="old_password">Enter your password</string>',
        "https://a.vault.example.net/secrets/db-password/" + HEX,
        '2) "token:refresh:count"',
        ":param secret_key: The key that signs the cookies.",
        "Passwort: erforderlich",
        "added Qm" + MIXED + MIXED + " secret-garden.epub",
        MIXED.lower() + "    GitHub token     Private",
        "password: ENC[AES256_GCM,data:" + MIXED + ",iv:" + MIXED + "=,type:str]",
        "WARN secret rotation due: 2026-02-01",
        'CLIENT_SECRET = "client_secret"',
        "ctrl-shift-p: token.paste",
        "the password is user-supplied",
        "docker run -u app -p 8080:80 web-1",
        "connect(db_1, \"table_2\")",
        "isinstance(key, (Ed25519PrivateKey, Ed448PrivateKey))",
        "cf-ray: 7d1f2a3b4c5d6e7f-FRA",
        "agent -s ses_dfd186c66ffe1qVa1X64qaFjSD",
        "token = Name.Builtin.Pseudo",
        "Token: '#000080',",
        "at /srv/releases/20240101T1010Z/app.Bundle64Loader.js",
    ],
)  # fmt: skip
@pytest.mark.requirement("NB-1")
def test_names_versions_places_and_numbers_of_things_are_kept(text: str) -> None:
    assert mask(text) == text
