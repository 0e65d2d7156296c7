"""What may run in discussion while the kernel holds all files, and what not even then."""

from __future__ import annotations

import pytest

from nagomi_tui.shell.classifier import classify
from nagomi_tui.shell.patterns import Patterns

HELD = Patterns(held=True)

DAILY = r"""
pytest
pytest -x -q tests/test_remove.py::test_add
python -m pytest -q 2>&1 | tail -20
.venv/bin/pytest -k 'not slow'
.venv/bin/python -m mypy .
uv run pytest -n 4
poetry run pytest --cov=src
PYTHONPATH=src python -m unittest discover
export CI=1; npm test
source .venv/bin/activate && pytest -q
cd sub && make test
timeout 300 make check
time npm run build
tsc --noEmit
npx tsc -p . --noEmit
npx eslint src --max-warnings 0
pnpm run lint
yarn typecheck
bun test
node -e 'console.log(require("./package.json").version)'
node scripts/report.js
npx jest --listTests
vitest run
mypy src
pyright
ruff check .
black --check .
npx prettier --check .
flake8 src
tox -e py311
nox -s tests
pre-commit run --all-files
make help
make -n all
make -j4
just --list
cmake --build build
cargo check
cargo test add_user -- --nocapture
cargo clippy --all-targets -- -D warnings
cargo metadata --format-version 1
go test ./...
go vet ./...
go build ./...
go run ./cmd/tool --help
mvn -q test
./gradlew test
dotnet build
bundle exec rspec
./scripts/check.sh --all
bash scripts/check.sh
bash -ex ci/test.sh
bash -c 'pytest -q; echo $?'
python3 -c 'import json; print(json.load(open("a.json")))'
python3 - <<'EOF2'
print(1)
EOF2
python3 scripts/stats.py data/*.csv
python3 -m http.server --help
perl -ne 'print if /x/' f
ls > /tmp/x
git diff > /tmp/change.diff
pytest -q > /tmp/out.txt 2>&1; tail -5 /tmp/out.txt
cat <<'EOF2' > /tmp/try.py && python3 /tmp/try.py
print(1)
EOF2
mkdir -p /tmp/work/one
cp -r src /tmp/copy
rm -rf /tmp/copy
make test 2>&1 | tee /tmp/log | tail
f=$(mktemp)
for t in a b; do pytest tests/$t; done
docker ps
"""

REFUSED = r"""
git push
git commit -am x
git stash
gh pr create
make deploy
make test publish
npm publish
npm run deploy:prod
npm install left-pad
cargo publish
cargo install x
uv add requests
poetry publish
pip install x
python3 -m pip install x
python3 -m twine upload dist/*
vercel deploy
./scripts/deploy.sh
./release
ssh host make
docker run x
sudo make
kill 1
systemctl restart x
crontab -r
rm -rf ~/.cache
rm -rf /tmp
rm -rf /tmp/../home
rm -rf /tmp/*
rm src/x /tmp/x
cp /tmp/x src/x
mv /tmp/x /home/me/x
touch new
ls > out
ls > ~/x
ls > /tmp/$X
ls > /tmp/../etc/x
black .
curl -X POST http://x
tmux send-keys x
nagomi guard mode implementation
$X
"""


def _commands(text: str) -> list[str]:
    found: list[str] = []
    for line in text.strip().splitlines():
        if found and "EOF2" in found[-1] and not found[-1].endswith("\nEOF2"):
            found[-1] += "\n" + line
        else:
            found.append(line)
    return found


@pytest.mark.parametrize("command", _commands(DAILY))
def test_what_agents_run_all_day_may_run(command: str) -> None:
    found = classify(command, HELD)
    assert found.verdict == "read", found.reason


@pytest.mark.parametrize("command", _commands(REFUSED))
def test_what_goes_beyond_files_and_what_deletes_may_not(command: str) -> None:
    assert classify(command, HELD).verdict == "write"


@pytest.mark.parametrize(
    "command", ["pytest", "make", "ls > /tmp/x", "./x.sh", "python3 -c 'import x'", "unknown"]
)
def test_without_the_kernel_none_of_that_may(command: str) -> None:
    assert classify(command).verdict == "write"
