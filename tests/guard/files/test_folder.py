"""DC-30: programs that read their folder before they print; what the guard lets pass runs nothing of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Final

import pytest

from nagomi_tui.guard.files.folder import Here, places
from nagomi_tui.guard.tasks.importing import _COMMAND
from nagomi_tui.shell.classifier import classify
from nagomi_tui.shell.patterns import ANYWHERE, Patterns

if TYPE_CHECKING:
    from pathlib import Path

_TOUCH: Final = "#!/bin/sh\ntouch RAN\nexit 0\n"
_PY: Final = "open('RAN', 'w').close()\n"
_JS: Final = "require('fs').writeFileSync('RAN', '');\n"
_VENV: Final = {".venv/bin/python": _TOUCH, ".venv/pyvenv.cfg": "home = /usr/bin\n"}

TRAPS: Final = [
    ("pytest --version", {"conftest.py": _PY}),
    ("pytest --version", {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p evil'\n", "evil.py": _PY}),
    ("pytest --version", {"setup.cfg": "[tool:pytest]\naddopts = -p evil\n", "evil.py": _PY}),
    ("pytest --version", {"tests/conftest.py": _PY}),
    ("tox --version", {"toxfile.py": _PY, "tox.ini": "[tox]\n"}),
    ("poetry --version", {".poetry/plugins/x.py": "", "pyproject.toml": "[tool.poetry]\nname='a'\n"}),
    ("poetry check", {"poetry.toml": "[virtualenvs]\n", "pyproject.toml": "[tool.poetry]\nname='a'\n"}),
    ("poetry env info", {**_VENV, "pyproject.toml": "[tool.poetry]\nname='a'\n"}),
    ("flake8 --version", {"setup.cfg": "[flake8:local-plugins]\nextension = X = evil:A\npaths = .\n", "evil.py": _PY}),
    ("flake8 .", {".flake8": "[flake8]\noutput-file = RAN\n", "a.py": "import os\n"}),
    ("flake8 .", {"tox.ini": "[DEFAULT]\noutput_file = RAN\n[flake8]\nignore = E1\n", "a.py": "import os\n"}),
    ("yarn --version", {".yarnrc": 'yarn-path "./y.js"\n', "y.js": _JS}),
    ("yarn list", {".yarnrc": 'yarn-path "./y.js"\n', "y.js": _JS, "package.json": "{}"}),
    ("yarn why x", {".yarnrc.yml": "yarnPath: ./y.js\n", "y.js": _JS, "package.json": "{}"}),
    ("yarn list", {"package.json": '{"scripts": {"list": "touch RAN"}}'}),
    ("pnpm ls", {".pnpmfile.cjs": _JS, "package.json": "{}"}),
    ("pnpm --version", {"package.json": '{"packageManager": "pnpm@https://x/y.tgz"}'}),
    ("pnpm config get x", {"pnpm-workspace.yaml": "pnpmfile: ./y.cjs\n", "y.cjs": _JS}),
    ("npm ls", {".npmrc": "node-options=--require=./y.js\n", "y.js": _JS, "package.json": "{}"}),
    ("npm help ls", {".npmrc": "viewer=browser\nbrowser=./x\n", "x": _TOUCH, "package.json": "{}"}),
    ("npm view left-pad", {".npmrc": "logs-dir=.\ncache=.\n", "package.json": "{}"}),
    ("jest --version", {"node_modules/jest/package.json": '{"name":"jest","bin":"bin/jest.js"}',
                        "node_modules/jest/bin/jest.js": _JS}),
    ("cargo --version", {"rust-toolchain.toml": "[toolchain]\npath = 't'\n", "t/bin/cargo": _TOUCH, "t/bin/rustc": _TOUCH}),
    ("cargo --list", {"rust-toolchain.toml": "[toolchain]\npath = 't'\n", "t/bin/cargo": _TOUCH, "t/bin/rustc": _TOUCH}),
    ("rustc --version", {"rust-toolchain.toml": "[toolchain]\npath = 't'\n", "t/bin/rustc": _TOUCH}),
    ("rustfmt --version", {"rust-toolchain": "[toolchain]\npath = 't'\n", "t/bin/rustfmt": _TOUCH, "t/bin/rustc": _TOUCH}),
    ("cargo metadata --locked --format-version 1",
     {".cargo/config.toml": "[build]\nrustc = './r'\n", "r": _TOUCH, "Cargo.toml": "[package]\nname='a'\nversion='0.1.0'\n",
      "src/lib.rs": "", "Cargo.lock": "version = 3\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n"}),
    ("cargo tree --locked",
     {".cargo/config": "[build]\nrustc-wrapper = './r'\n", "r": _TOUCH, "Cargo.toml": "[package]\nname='a'\nversion='0.1.0'\n",
      "src/lib.rs": "", "Cargo.lock": "version = 3\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n"}),
    ("mvn -v", {".mvn/jvm.config": "-XX:OnOutOfMemoryError=touch_RAN -Xmx1m\n"}),
    ("mvn --version", {".mvn/maven.config": "-X\n"}),
    ("uv pip list", _VENV),
    ("uv python find", _VENV),
    ("uv pip list", {"uv.toml": "[pip]\npython = './p'\n", "p": _TOUCH}),
    ("python3 -m json.tool a", {"json.py": _PY, "a": "{}"}),
    ("python3 -m json.tool a", {"argparse/__init__.py": _PY, "a": "{}"}),
    ("python3 -m pip list", {"pip/__init__.py": _PY, "pip/__main__.py": _PY}),
    ("python3 -m pip list", {"re.py": _PY}),
    ("python3 -m pip --version; python3 -m pip list", {"logging.py": _PY}),
    ("git status", {".git/config": "[core]\nfsmonitor = ./x\n", "x": _TOUCH}),
    ("git diff", {".git/config": "[diff]\nexternal = ./x\n", "x": _TOUCH}),
    ("git log -p", {".git/config": "[diff \"d\"]\ntextconv = ./x\n", ".gitattributes": "* diff=d\n", "x": _TOUCH}),
    ("git status", {".git/config": "[filter \"d\"]\nclean = ./x\n", ".gitattributes": "* filter=d\n", "x": _TOUCH}),
    ("git status", {".git/config": "[core]\nhooksPath = .\n", "post-index-change": _TOUCH}),
    ("git status", {".git/hooks/post-index-change": "#!/bin/sh\ntouch RAN\n"}),
    ("git log", {".git/config": "[log]\nshowSignature = true\n[gpg]\nprogram = ./x\n", "x": _TOUCH}),
    ("git tag", {".git/config": "[tag]\nsort = signature\n[gpg]\nprogram = ./x\n", "x": _TOUCH}),
    ("git log", {".git/config": "[format]\npretty = %G?\n[gpg]\nprogram = ./x\n", "x": _TOUCH}),
    ("git status", {".git/config": "[include]\npath = ../more\n", "more": "[core]\nfsmonitor = ./x\n", "x": _TOUCH}),
    ("git status", {".git/config": "[core] fsmonitor = ./x\n", "x": _TOUCH}),
    ("git status", {".git/config": "[CORE]\n\tFsMonitor=\"./x\" ; y\n", "x": _TOUCH}),
    ("git status", {".git/config": "[core]\n# x\u2028[color]\nfsmonitor = ./x\n", "x": _TOUCH}),
    ("git archive HEAD --format=tgz", {".git/config": "[tar \"tgz\"]\ncommand = ./x\n", "x": _TOUCH}),
    ("git status", {".git/config": "[extensions]\nworktreeConfig = true\n",
                    ".git/config.worktree": "[core]\nfsmonitor = ./x\n", "x": _TOUCH}),
    ("git ls-remote origin", {".git/config": "[core]\nsshCommand = ./x\n[remote \"origin\"]\nurl = a:b\n", "x": _TOUCH}),
    ("gh pr list", {".git/config": "[core]\nfsmonitor = ./x\n", "x": _TOUCH}),
    ("pnpm ls --filter '[HEAD~1]'", {".git/config": "[core]\nfsmonitor = ./x\n", "x": _TOUCH}),
    ("yarn workspaces list --since", {".git/config": "[core]\nfsmonitor = ./x\n", "x": _TOUCH}),
    ("go list ./...", {".git/config": "[core]\nfsmonitor = ./x\n", "x": _TOUCH, "go.mod": "module a\n", "main.go": "package main\n"}),
    ("terraform show", {".terraform/providers/x": _TOUCH}),
    ("gradle --version", {"gradle.properties": "org.gradle.java.home=./j\n", "j/bin/java": _TOUCH}),
    ("sbt --version", {".jvmopts": "-javaagent:x.jar\n"}),
    ("bazel --version", {"tools/bazel": _TOUCH}),
    ("dotnet --version", {"global.json": '{"sdk": {"paths": ["."]}}'}),
    ("bundle --version", {".bundle/config": "---\nBUNDLE_PATH: x\n", "Gemfile": ""}),
    ("composer --version", {"composer.json": "{}"}),
    ("python3 --version", {".python-version": "../../evil\n"}),
    ("node --version", {".tool-versions": "nodejs path:./evil\n"}),
    ("ruby --version", {".ruby-version": "../../evil\n"}),
    ("az account show", {".azure/config": "[extension]\ndev_sources = .\n"}),
    ("mise ls", {"mise.toml": "[hooks]\nenter = 'touch RAN'\n"}),
    ("ack foo", {".ackrc": "--pager=./x\n"}),
    ("pip freeze", {".hg/hgrc": "[extensions]\nx = ./x.py\n"}),
    ("cargo fmt --check", {".cargo/config.toml": "[alias]\nfmt = ['run']\n", "Cargo.toml": "[package]\nname='a'\nversion='0.1.0'\n",
                           "src/main.rs": "fn main() { std::fs::write(\"RAN\", \"\").unwrap(); }"}),
    ("cargo fmt --all --check", {".cargo/config": "alias.fmt = 'run'\n"}),
    ("cargo clippy --version", {".cargo/config.toml": "[alias]\nclippy = ['run']\n"}),
    *((f"cargo {command}", {".cargo/config.toml": f"[alias]\n{command.split()[0]} = ['run']\n"})
      for command in ("info x", "read-manifest", "verify-project", "search x", "locate-project")),
    *((f"git {command}", {".git/config": f"[alias]\n{command.split()[0]} = !touch RAN\n"})
      for command in ("range-diff a b c", "sparse-checkout list", "bundle verify x")),
    ("bundle list", {"Gemfile": "system('touch RAN')\n"}),
    ("dotnet --list-sdks", {"global.json": '{"sdk": {"paths": ["."]}}'}),
    ("identify x.png", {"delegates.xml": "<delegatemap/>", "x.png": ""}),
    ("yarn ls", {"node_modules/.bin/ls": _TOUCH, "package.json": "{}"}),
    ("yarn --silent view x", {"node_modules/.bin/view": _TOUCH, "package.json": "{}"}),
    ("yarn show x", {"node_modules/.bin/show": _TOUCH, "package.json": "{}"}),
    ("cloc HEAD", {".git/config": "[core]\nfsmonitor = ./x\n[tar \"tar\"]\ncommand = ./x\n", "x": _TOUCH}),
    ("cloc --vcs=git .", {".git/config": "[core]\nfsmonitor = ./x\n", "x": _TOUCH}),
    *((command, {file: "../../evil\n"}) for command, file in (
        ("perl --version", ".perl-version"), ("go version", ".go-version"), ("gofmt -l .", ".go-version"),
        ("java -version", ".java-version"), ("javac --version", ".java-version"), ("php -v", ".php-version"),
        ("swift --version", ".swift-version"), ("terraform version", ".terraform-version"), ("lua -v", ".lua-version"))),
    ("elixir --version", {".erlang": "os:cmd(\"touch RAN\").\n"}),
]  # fmt: skip

HERE_ALONE: Final = [
    *((f"terraform {command}", {"a.tf": 'terraform {\n  backend "s3" {\n    bucket = "b"\n  }\n}\n'})
      for command in ("output", "output -json", "state list", "state show x", "workspace list", "show")),
    ("terraform output", {"a.tf.json": '{"terraform": {"backend": {"kubernetes": {}}}}'}),
    ("terraform output", {"a.tf": 'terraform {\n  cloud {\n  }\n}\n'}),
    ("terraform state list", {".terraform/terraform.tfstate": '{"backend": {"type": "s3"}}'}),
    *((f"ruff {told}", {"d/e/ruff.toml": "cache-dir = '../../src'\n", "d/e/a.py": ""})
      for told in ("check", "check .", "check d", "check d/e/a.py", "format --check d", "check --no-fix d/e")),
    ("for d in d x; do ruff check $d; done", {"d/ruff.toml": "cache-dir = '../src'\n", "x/a.py": ""}),
    *(("node -p 'require(\"./x.json\").a'", {f"x.json{ending}": _JS}) for ending in (".js", "/index.js")),
    ("node -e 'console.log(require(\"./d/x.json\"))'", {"d/x.json.js": _JS}),
    ("ruff format --check .", {"pyproject.toml": "[tool.ruff]\ncache-dir = 'src'\n"}),
    ("ruff format --diff a.py", {"ruff.toml": "cache-dir = 'src'\n"}),
]  # fmt: skip

HONEST: Final = [
    ("terraform output", {"main.tf": 'resource "aws_instance" "a" {\n  ami = "x"\n}\n'}),
    ("yarn ls", {"node_modules/.bin/tsc": _TOUCH, "package.json": "{}"}),
    ("cloc .", {".git/config": "[user]\nname = a\n"}),
    ("ruff format --check .", {"pyproject.toml": "[tool.ruff]\nline-length = 100\n"}),
    ("ruff format --check --no-cache .", {"pyproject.toml": "[tool.ruff]\ncache-dir = 'src'\n"}),
    ("pytest --version", {"pyproject.toml": "[tool.ruff]\nfix = true\n", "a.py": ""}),
    ("tox --version", {"setup.cfg": "[metadata]\nname = a\n"}),
    ("flake8 .", {".flake8": "[flake8]\nmax-line-length = 100\nextend-ignore = E203\n", "a.py": ""}),
    ("flake8 --version", {"setup.cfg": "[flake8]\nmax_line_length = 100\n[isort]\nprofile = black\n"}),
    ("npm ls", {".npmrc": "registry=https://x.y/\n@a:registry=https://z/\n//z/:_authToken=${T}\nsave-exact=true\n",
                "package.json": "{}"}),
    ("pnpm ls", {"pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n  # all\n  - apps/web\n", "package.json": "{}"}),
    ("yarn list", {"package.json": '{"packageManager": "yarn@1.22.22+sha512.abc", "scripts": {"build": "tsc"}}'}),
    ("cargo tree --locked", {".cargo/config.toml": "[alias]\nx = 'run'\n[net]\nretry = 2\n"}),
    ("mvn -v", {".mvn/wrapper/maven-wrapper.properties": ""}),
    ("python3 -m json.tool a", {"app.py": "", "tests/a.py": "", "types/index.ts": "", "email": "", "json.txt": "", "a": "{}"}),
    ("python3 -P -m json.tool a", {"json.py": _PY, "a": "{}"}),
    ("python3 -I -m json.tool a", {"json.py": _PY, "a": "{}"}),
    ("uv --version", _VENV),
    ("git status", {".git/config": "[core]\n\tbare = false\n\tfsmonitor = true\n[remote \"origin\"]\n\turl = git@x:y.git\n"
                    "\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n"
                    "[user]\n\temail = a@b.c\n[alias]\n\tst = status\n\tevil = !x\n[core]\n\thooksPath = .husky\n"
                    "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n", ".husky/pre-commit": _TOUCH}),
    ("git log", {".git/config": "[core]\nsshCommand = ssh -i ~/.ssh/key\n[credential]\nhelper = store\n"}),
    ("git -C sub log", {"sub/a": "", ".git/config": "[pull]\nrebase = true\n"}),
    ("terraform output", {".terraform/providers/x": _TOUCH}),
    ("node --version", {".nvmrc": "v20.1.0\n", ".tool-versions": "nodejs 20.1.0\npython 3.11.2 # x\n"}),
    ("python3 --version", {".python-version": "3.11.2\npypy3.9-7.3.11\n"}),
    ("dotnet --version", {"global.json": '{"sdk": {"version": "8.0.100"}}'}),
    ("cargo fmt --check", {".cargo/config.toml": "[alias]\nx = 'run'\n"}),
    ("go version", {".go-version": "1.22.1\n"}),
    ("java -version", {".java-version": "openjdk64-17.0.1\n"}),
    ("sessions/bin/sessions state", {"sessions/bin/sessions": _COMMAND.format(program="/usr/bin/nagomi")}),
    ("ls; cat conftest.py", {"conftest.py": _PY}),
]  # fmt: skip


def _fill(folder: Path, held: dict[str, str]) -> None:
    for name, text in held.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if text == _TOUCH or "bin/" in name or "hooks/" in name or name == "post-index-change":
            path.chmod(0o755)


def _repository(folder: Path) -> None:
    subprocess.run(["git", "-c", "init.defaultBranch=m", "init", "-q", str(folder)], check=True)
    (folder / "a.txt").write_text("x\n")
    for words in (
        ["add", "a.txt"],
        ["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "c"],
    ):
        subprocess.run(["git", "-C", str(folder), *words], check=True)
    (folder / "a.txt").write_text("y\n")


def _told(command: str, folder: Path) -> str:
    return classify(command, Patterns(folder=Here(str(folder)))).verdict


def _numbered(lines: list[tuple[str, dict[str, str]]]) -> list[str]:
    return [f"{number}-{command.split()[0]}" for number, (command, _) in enumerate(lines)]


@pytest.mark.parametrize(("command", "held"), TRAPS, ids=_numbered(TRAPS))
@pytest.mark.requirement("DC-30")
def test_what_a_folder_may_have_a_program_run_is_no_read(
    command: str, held: dict[str, str], tmp_path: Path
) -> None:
    assert _told(command, tmp_path) == "read"
    (tmp_path / "sub").mkdir()
    _fill(tmp_path, held)
    assert _told(command, tmp_path) == "write"
    assert _told(f"cd {tmp_path} && {command}", tmp_path.parent) == "write"
    assert _told(f"for i in 1 2; do {command}; cd {tmp_path}; done", tmp_path.parent) == "write"
    assert _told(f'cd "$(cat x)" && {command}', tmp_path.parent) == "write"
    assert classify(command, ANYWHERE).verdict == "write"
    if not command.startswith("python3 -m") and "tests/conftest.py" not in held:
        assert _told(command, tmp_path / "sub") == "write"  # Programs look upward, too.


@pytest.mark.parametrize(("command", "held"), HERE_ALONE, ids=_numbered(HERE_ALONE))
@pytest.mark.requirement("DC-30")
def test_what_the_folder_alone_may_have_a_program_run_is_no_read(
    command: str, held: dict[str, str], tmp_path: Path
) -> None:
    assert _told(command, tmp_path) == "read"
    _fill(tmp_path, held)
    assert _told(command, tmp_path) == "write"
    assert _told(f"cd {tmp_path.name} && {command}", tmp_path.parent) == "write"
    assert classify(command, ANYWHERE).verdict == "write"


_FAR: Final = "include:\n  - oci://x.invalid/a:1\nservices: {}\n"
_NEAR: Final = "services:\n  a:\n    image: b\n"
_EXTENDS: Final = "services:\n  a:\n    extends:\n      file: {}\n      service: a\n"
NAMED: Final = [
    ("docker compose ps", "compose.yaml", _FAR, _NEAR),
    ("docker compose logs --tail=5 web", "docker-compose.yml", _FAR, _NEAR),
    ("docker-compose config --services", "docker-compose.override.yml", _FAR, _NEAR),
    ("docker compose exec web ls", "compose.yml", _FAR, _NEAR),
    ("docker compose config", "compose.yml", '"\\x69nclude":\n  - oci://x.invalid/a\n', _NEAR),
    ("docker compose config", "compose.yml", _EXTENDS.format("https://x.invalid/a.git"), _EXTENDS.format("near.yml")),
    ("docker compose config", ".env", "COMPOSE_FILE=oci://x.invalid/a\n", "COMPOSE_PROJECT_NAME=a\nDOCKER_TAG=1\n"),
    ("docker compose -f deploy/c.yml ps", "deploy/c.yml", _FAR, _NEAR),
    ("docker compose --file=deploy/c.yml config -q", "deploy/c.yml", _FAR, _NEAR),
    ("docker compose --project-directory deploy ps", "deploy/compose.yaml", _FAR, _NEAR),
    ("docker compose --env-file=e ps", "e", "COMPOSE_FILE=oci://x.invalid/a\n", "TAG=1\n"),
    ("jq . x.json", ".tool-versions", "jq path:./evil\n", "jq 1.7.1\nnodejs 20.11.0\n"),
    ("ls | rg x", ".tool-versions", "ripgrep path:./evil\n", "ripgrep 14.1.0\n"),
    ("kubectl exec web -- ls /app", ".tool-versions", "kubectl path:./evil\n", "kubectl 1.30.1\n"),
    ("helm list -A", ".tool-versions", "helm path:./evil\n", "helm 3.15.0\n"),
    ("cmake --version", ".tool-versions", "cmake path:./evil\n", "cmake 3.29.0\n"),
    ("nagomi diff --print", ".git/config", "[diff]\n\texternal = touch RAN\n", "[core]\n\tbare = false\n"),
]  # fmt: skip


@pytest.mark.requirement("DC-30")
def test_files_that_name_others_are_looked_into(tmp_path: Path) -> None:
    """Files of compose that have it fetch more, and those that choose what stands behind a name."""
    (tmp_path / "near.yml").write_text(_NEAR)
    for number, (command, name, bad, good) in enumerate(NAMED):
        place = tmp_path / str(number)
        _fill(
            place,
            {
                name: good,
                "near.yml": _NEAR,
                ".git/HEAD": "ref: refs/heads/m\n",
                ".git/objects/x": "",
                ".git/refs/x": "",
            },
        )
        assert _told(command, place) == "read", command
        (place / name).write_text(bad)
        assert _told(command, place) == "write", command
        assert _told(f"cd {number} && {command}", tmp_path) == "write", command
        assert _told(f'cd "$(cat x)" && {command}', tmp_path) == "write", command
    assert _told("docker compose ls", tmp_path / "0") == "read"
    assert _told("docker compose -f oci://x.invalid/a ps", tmp_path) == "write"
    assert _told("docker compose -f nothing.yml ps", tmp_path) == "write"


_TRAP: Final = "[core]\n\tfsmonitor = touch RAN\n"


@pytest.mark.parametrize(
    "command",
    ["git --git-dir=x/.git -C sub status", "git --git-dir x/.git -C sub diff HEAD",
     "git --no-pager --work-tree=. --git-dir=./x/.git -C ./sub ls-files -m",
     "git --work-tree=x -C sub status", "bash -c 'git --git-dir=x/.git -C sub diff'"],
)  # fmt: skip
@pytest.mark.requirement("DC-30")
def test_git_takes_its_folders_from_where_it_goes_last(command: str, tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "x", tmp_path / "sub", tmp_path / "sub/x"):
        _repository(place)
    assert _told(command, tmp_path) == "read"
    with (tmp_path / "sub/x/.git/config").open("a") as file:
        file.write(_TRAP)
    assert _told(command, tmp_path) == "write"


@pytest.mark.parametrize(
    "command",
    ['cd "$(git rev-parse --show-toplevel)" && git status', "cd $(git rev-parse --show-toplevel 2>/dev/null) && git log",
     'git -C "$(git rev-parse --show-toplevel)" ls-files', 'root=$(git rev-parse --show-toplevel); git -C "$root" diff',
     'cd src && cd "$(git rev-parse --show-toplevel)" && git status',
     'for d in src docs; do git -C "$d" log; done', "for d in src docs; do (cd $d && git log -1); done",
     "cd src && git log -- . && cd - >/dev/null && git status && ls"],
)  # fmt: skip
@pytest.mark.requirement("DC-30")
def test_folders_that_a_command_tells_itself_are_looked_into(command: str, tmp_path: Path) -> None:
    _repository(tmp_path)
    for name in ("src", "docs"):
        (tmp_path / name).mkdir()
    assert _told(command, tmp_path) == "read"
    assert classify(command, ANYWHERE).verdict == "write"
    for place in (".", "docs") if " docs;" in command else (".",):
        if place == "docs":
            _repository(tmp_path / place)
        config = tmp_path / place / ".git/config"
        before = config.read_text()
        config.write_text(before + _TRAP)
        assert _told(command, tmp_path) == "write"
        config.write_text(before)
    assert _told(command, tmp_path) == "read"


@pytest.mark.parametrize(
    "command",
    ['cd "$(git rev-parse --show-toplevel)" && git status', 'git -C "$(git rev-parse --show-toplevel)" log',
     'for d in src "$(cat x)"; do git -C "$d" log; done', 'for d in src; do read -r d < x; git -C "$d" log; done',
     'for d in src; do d=../evil; git -C "$d" log; done', 'for d in src ../evil; do git -C "$d" log; done',
     'f() { local d; git -C "$d" log; }; for d in src; do f; done', 'for d in src; do git -C "$d/$x" log; done',
     'git() { echo ../evil; }; cd "$(git rev-parse --show-toplevel)" && env git status',
     'git -C "$root" log; root=$(git rev-parse --show-toplevel)'],
)  # fmt: skip
@pytest.mark.requirement("DC-30")
def test_folders_that_only_seem_to_be_known_are_not(command: str, tmp_path: Path) -> None:
    """Such as the top of a repository whose tree is elsewhere, or that is not there."""
    place = tmp_path / "in"
    (place / "src").mkdir(parents=True)
    _repository(tmp_path / "evil")
    with (tmp_path / "evil/.git/config").open("a") as file:
        file.write(_TRAP)
    _repository(place)
    with (place / ".git/config").open("a") as file:
        file.write("[core]\n\tworktree = ../../evil\n")
    assert _told(command, place) == "write"


@pytest.mark.requirement("DC-30")
def test_git_goes_on_above_a_repository_that_it_may_not_enter(tmp_path: Path) -> None:
    _repository(tmp_path)
    _repository(tmp_path / "in")
    with (tmp_path / ".git/config").open("a") as file:
        file.write(_TRAP)
    assert _told("git -C in status", tmp_path) == "read"
    for name in ("objects", "refs"):
        (tmp_path / "in/.git" / name).chmod(0o600)
        assert _told("git -C in status", tmp_path) == "write"
        (tmp_path / "in/.git" / name).chmod(0o700)


@pytest.mark.parametrize(("command", "held"), HONEST, ids=_numbered(HONEST))
@pytest.mark.requirement("DC-30")
def test_what_only_looks_like_it_reads(command: str, held: dict[str, str], tmp_path: Path) -> None:
    _fill(tmp_path, held)
    assert _told(command, tmp_path) == "read"


@pytest.mark.slow
@pytest.mark.parametrize(("command", "held"), TRAPS + HONEST, ids=_numbered(TRAPS + HONEST))
@pytest.mark.requirement("DC-30")
def test_the_real_program_runs_nothing_where_it_is_called_a_read(
    command: str, held: dict[str, str], tmp_path: Path
) -> None:
    place = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    if shutil.which(command.split()[0], path=place) is None:
        pytest.skip(f"no {command.split()[0]} here")
    _repository(tmp_path)
    _fill(tmp_path, held)
    verdict = _told(command, tmp_path)
    environment = {**os.environ, "PATH": place, "GIT_CONFIG_GLOBAL": "/dev/null", "PAGER": "cat"}
    subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )
    ran = [str(path) for path in tmp_path.rglob("RAN")]
    print(f"{command}: {verdict}, {'ran' if ran else 'ran nothing'}")
    assert verdict == "write" or not ran


@pytest.mark.requirement("DC-30")
def test_a_repository_elsewhere_is_looked_into(tmp_path: Path) -> None:
    _repository(tmp_path)
    _fill(tmp_path, {"evil/HEAD": "ref: refs/heads/m\n", "evil/commondir": "../real\n", "real/objects/x": "", "real/refs/x": "",
                     "real/config": "[core]\nfsmonitor = ./x\n", "plain/x": ""})  # fmt: skip
    for command in ("git --git-dir=real status", "git --git-dir real status", "git -C evil status", "cd evil; git status",
                    "git -C plain -C ../evil log", "git --git-dir=.. -C real/x log", "git --git-dir ../evil -C plain status", "(cd evil && git log -1)",
                    "pushd evil; git log", "git -C plain/../evil log", "npm --prefix evil ls; git -C evil log",
                    "false && d=plain; git -C \"$d\" log", "git -C \"$d\" log; d=plain", "(d=plain); git -C \"$d\" log",
                    "d=plain; f() { local d; git -C \"./$d\" log; }; f", "fd --base-directory evil -x git log", "fd -C evil -X git log --",
                    'cd evil; cd "$(git rev-parse --show-toplevel)" && git log', 'cd "$(git rev-parse --show-toplevel)/evil" && git log',
                    'git() { echo evil; }; cd "$(git rev-parse --show-toplevel)" && command git log',
                    "git -C $x log", "cd -; git log", "cd $x; git log", "find . -execdir git log ';'",
                    "docker exec web git log", "for d in */; do git -C \"$d\" log; done"):  # fmt: skip
        assert _told(command, tmp_path) == "write", command
    for command in (
        "git -C plain status",
        "git status",
        "cd plain && git log",
        "cd plain; cd -; git log",
        "git -C . diff",
        'd=plain; git -C "$d" log',
        'd=plain && git -C "./$d" log',
        "git --git-dir=.git -C plain/.. log",
        'cd "$(git rev-parse --show-toplevel)" && git log',
        'git -C "$(git rev-parse --show-toplevel)" log',
        "cd plain && git log && cd - >/dev/null && git log",
        "node -p \"require('./package.json').version\"",
    ):
        assert _told(command, tmp_path) == "read", command


@pytest.mark.requirement("DC-30")
def test_the_top_of_a_repository_is_where_git_says(tmp_path: Path) -> None:
    _repository(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "x.json").mkdir()
    commands = ('cd "$(git rev-parse --show-toplevel)" && npm ls', 'git -C "$(git rev-parse --show-toplevel)" log',
                "cd $(git rev-parse --show-toplevel) && git log", "cd $(git rev-parse --show-toplevel); npm ls")  # fmt: skip
    assert [_told(command, tmp_path / "sub") for command in commands] == ["read"] * 4
    assert _told("node -p 'require(\"./x.json\").a'", tmp_path) == "read"
    (tmp_path / "x.json/index.js").touch()
    assert _told("node -p 'require(\"./x.json\").a'", tmp_path) == "write"
    (tmp_path / ".npmrc").write_text("node-options=--require=./y.js\n")
    assert _told(commands[0], tmp_path / "sub") == "write"
    assert _told(commands[3], tmp_path / "sub") == "write"
    (tmp_path / ".npmrc").unlink()
    (tmp_path / "sub/a b").mkdir()
    _repository(tmp_path / "sub/a b")
    assert _told(commands[0], tmp_path / "sub/a b") == "read"
    assert _told(commands[2], tmp_path / "sub/a b") == "write"
    for settings in ("[core]\nworktree = ../../evil\n", "[include]\npath = x\n"):
        (tmp_path / ".git/config").write_text(settings)
        assert [_told(command, tmp_path / "sub") for command in commands] == ["write"] * 4
    (tmp_path / ".git/config").write_text("")
    (tmp_path / ".git").rename(tmp_path / "moved")
    (tmp_path / ".git").write_text("gitdir: moved\n")
    assert [_told(command, tmp_path / "sub") for command in commands] == ["write"] * 4


@pytest.mark.requirement("DC-30")
def test_a_folder_that_a_shell_finds_in_another_way_is_looked_into(tmp_path: Path) -> None:
    _repository(tmp_path)
    trap = {"config": "[core]\nfsmonitor = ./x\n"}
    for name in ("evil", "-evil", "+evil", "~/evil", "+1", "deep/evil"):
        _fill(tmp_path / name / ".git", trap)
    (tmp_path / "deep/inner").mkdir()
    (tmp_path / "link").symlink_to("deep/inner")
    (tmp_path / "plain/deeper").mkdir(parents=True)
    for move in ("~+/evil", "link/../evil", "-- -evil", "+evil", "-- +evil", "'~/evil'", "\\~/evil", "~-", "-P -- -evil",
                 "~+/link/../evil", "'~'/evil", "-", "evil plain", "plain evil", "+1", "-1", "-q evil", "nowhere", "~nobody",
                 "-e -P link/../evil", "$OLDPWD", "~0", "link; cd ../evil", "plain; cd ../link/../evil"):  # fmt: skip
        for command in (
            f"cd {move}; git status",
            f"(cd {move} && git log)",
            f"cd {move}\ngit diff",
        ):
            assert _told(command, tmp_path) == "write", command
    for command in ("pushd -- -evil; git log", "pushd +evil; git log", "dirs evil; popd; git status", "dirs evil; popd",
                    "pushd -n evil; popd; git log", "git -C ~+/evil status", "git -C '~/evil' status", "git -C link/../evil log",
                    "git --git-dir=~+/evil/.git status", "npm --prefix link/../evil ls; git -C evil log",
                    "git -C plain -C ~/evil log", "false && cd plain; cd -; git log", "(cd plain); cd -; git log",
                    "f() { cd plain; }; cd -; git log", "bash -c 'cd plain'; cd -; git log", "cd nowhere; cd -; git log"):  # fmt: skip
        assert _told(command, tmp_path) == "write", command
    (tmp_path / "deep/evil/.git/config").unlink()  # A link is followed by its text and by the disk.
    assert _told("cd link/../evil; git status", tmp_path) == "write"
    for command in ("cd plain; git log", "cd plain/deeper/..; git log", "cd ./plain && git log; cd .. && git log",
                    "cd -P plain; git status", "cd -- plain; git status", "pushd plain; git log; popd; git log",
                    "pushd plain; pushd +1; git log", "dirs -v; git log", "cd plain > /dev/null; git log",
                    "cd; pwd", "cd link; git log", f"cd {tmp_path}; git log"):  # fmt: skip
        assert _told(command, tmp_path) == "read", command


@pytest.mark.requirement("DC-30")
def test_a_repository_is_found_where_git_finds_it(tmp_path: Path) -> None:
    trap = "[core]\nfsmonitor = ./x\n"
    held = {"HEAD": "ref: refs/heads/m\n", "config": trap, "objects/x": "", "refs/x": ""}
    (tmp_path / "bare/.git").mkdir(parents=True)
    _fill(tmp_path / "bare", {**held, "sub/a": ""})
    _fill(tmp_path / "file", {".git": "gitdir:  real\n", "real/HEAD": "x"})
    _fill(tmp_path / "file/ real", held)
    _fill(tmp_path / "up", {".git/config": trap, "sub/.git/HEAD": "ref: refs/heads/m\n", "other/.git/HEAD": "x",
                            "other/.git/objects/x": "", "other/.git/refs/x": ""})  # fmt: skip
    _fill(
        tmp_path / "common",
        {
            ".git/HEAD": "ref: refs/heads/m\n",
            ".git/commondir": " real\n",
            ".git/ real/config": trap,
        },
    )
    for place in ("bare", "bare/sub", "file", "up/sub", "up/other", "common"):
        for command in ("git status", "git diff", "git log -p", "git --no-pager show"):
            assert _told(command, tmp_path / place) == "write", (place, command)
    _repository(tmp_path / "up/mine")
    assert _told("git status", tmp_path / "up/mine") == "read"
    for command in ("git --bare log -p -1", "git --bare show", "git --bare blame HEAD -- a", "git --no-pager --bare log",
                    "git log -p --submodule=diff", "git -c diff.submodule=diff log -p"):  # fmt: skip
        assert _told(command, tmp_path / "up/mine") == "write", command
    assert _told("git log -p --submodule=log", tmp_path / "up/mine") == "read"
    (tmp_path / "up/mine/.git/config").write_text("[diff]\nsubmodule = diff\n")
    assert _told("git log", tmp_path / "up/mine") == "write"


@pytest.mark.parametrize("version", ["2", "3", "4", "split"])
@pytest.mark.requirement("DC-30")
def test_a_repository_that_only_the_index_names_is_looked_into(
    version: str, tmp_path: Path
) -> None:
    _repository(tmp_path)
    _repository(tmp_path / "one/sub")
    _repository(tmp_path / "one/sub/more")
    run = ["git", "-C", str(tmp_path), "-c", "advice.addEmbeddedRepo=false"]
    subprocess.run(
        ["git", "-C", str(tmp_path / "one/sub"), "add", "more"], check=True, capture_output=True
    )
    subprocess.run([*run, "add", "one/sub", "a.txt"], check=True, capture_output=True)
    (tmp_path / "later").write_text("")
    subprocess.run([*run, "add", "-N", "later"], check=True)
    told = "--split-index" if version == "split" else f"--index-version={version}"
    subprocess.run([*run, "update-index", "--force-write-index", told], check=True)
    assert _told("git status", tmp_path) == "read"
    for command in (
        "git --git-dir=.git status",
        "git --work-tree=one status",
        "git -C . --work-tree . status",
    ):
        assert _told(command, tmp_path) == "write", command
    for inner in ("one/sub", "one/sub/more"):
        settings = tmp_path / inner / ".git/config"
        before = settings.read_text()
        settings.write_text("[core]\nfsmonitor = ./x\n")
        for command in ("git status", "git diff", "git status --short"):
            assert _told(command, tmp_path) == "write", command
        settings.write_text(before)
    (tmp_path / "one/sub/more/.git/index").write_bytes(b"DIRC\0\0\0\2\0\1\0\0" + b"\0\0\xe0\0")
    assert _told("git status", tmp_path) == "write"  # An index that is not understood.


@pytest.mark.requirement("DC-30")
def test_the_command_of_cc_sessions_is_the_one_that_nagomi_writes(tmp_path: Path) -> None:
    path = tmp_path / "sessions/bin/sessions"
    for command in ("sessions/bin/sessions state", "./sessions/bin/sessions status"):
        assert _told(command, tmp_path) == "read"
        path.parent.mkdir(parents=True, exist_ok=True)
        ours = _COMMAND.format(program="/usr/bin/nagomi")
        path.write_text(ours)
        assert _told(command, tmp_path) == "read"
        for other in (
            _TOUCH,
            ours + "touch RAN\n",
            ours.replace("exec /usr", "touch RAN; exec /usr"),
            "touch RAN\n" + ours,
        ):
            path.write_text(other)
            assert _told(command, tmp_path) == "write", other
        path.unlink()


@pytest.mark.requirement("DC-30")
def test_repositories_of_submodules_are_looked_into(tmp_path: Path) -> None:
    _repository(tmp_path)
    _fill(tmp_path, {".git/modules/a/HEAD": "x", ".git/modules/a/config": "[core]\nbare = false\n"})
    assert _told("git status", tmp_path) == "read"
    _fill(
        tmp_path,
        {
            ".git/modules/a/modules/b/HEAD": "x",
            ".git/modules/a/modules/b/config": "[core]\nfsmonitor = ./x\n",
        },
    )
    assert _told("git status", tmp_path) == "write"
    (tmp_path / ".git/modules/a/modules/b/config").unlink()
    assert _told("git status", tmp_path) == "read"
    _fill(
        tmp_path,
        {
            ".gitmodules": '[submodule "s"]\n\tpath = s\n\turl = x\n',
            "s/.git/config": "[core]\nfsmonitor = ./x\n",
        },
    )
    assert _told("git status", tmp_path) == "write"


@pytest.mark.requirement("DC-30")
def test_the_users_own_settings_are_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "project").mkdir()
    _fill(
        tmp_path,
        {
            ".npmrc": "node-options=x\n",
            ".cargo/config.toml": "[build]\nrustc-wrapper = 'sccache'\n",
        },
    )
    assert (
        _told("npm ls", tmp_path / "project")
        == _told("cargo tree --locked", tmp_path / "project")
        == "read"
    )


@pytest.mark.requirement("DC-30")
def test_a_command_is_followed_wherever_it_may_be(tmp_path: Path) -> None:
    for name in ("a/b", "a/a/a", "c"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "loop").symlink_to(tmp_path)
    found = places(str(tmp_path), ["a", "b", "loop"])
    assert found == {str(tmp_path / one) for one in ("", "a", "a/b", "a/a", "a/a/a")}
    assert [one for one in ("x\0", "*", "nowhere", "~nobody", "~+/a", "~-", "\1")
            if places(str(tmp_path), ["a", one])] == []  # fmt: skip
    for number in range(80):
        (tmp_path / f"d{number}").mkdir()
    assert places(str(tmp_path), [f"d{number}" for number in range(80)]) is None


@pytest.mark.requirement("DC-30")
def test_a_file_made_to_be_slow_to_read_is_not(tmp_path: Path) -> None:
    held = {".python-version": "a" * 5000 + "/", ".npmrc": "a" * 5000 + "!", "pnpm-workspace.yaml": " a" * 5000 + "&",
            "package.json": "[" * 100_000, ".flake8": "[flake8]\n" + "x=1\n" * 5000, ".git/config": "[a" * 5000}  # fmt: skip
    _fill(tmp_path, held)
    for command in ("python3 --version", "npm ls", "pnpm ls", "flake8 .", "git log"):
        began = time.process_time()
        assert _told(command, tmp_path) == "write", command
        assert time.process_time() - began < 1, command
