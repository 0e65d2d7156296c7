#!/bin/sh
# Makes the folder that the pictures show: `demo.sh HOME dark|light`. HOME is an empty folder.
set -eu
HOME=$1
export HOME
theme=$2
mkdir -p "$HOME/kotatsu/kotatsu" "$HOME/kotatsu/tests" "$HOME/.config/htop" "$HOME/.local/bin"

cat > "$HOME/.bashrc" <<'END'
PS1='\[\e[32m\]\w\[\e[35m\] $\[\e[0m\] '
alias ls='ls --color=always -F'
END
cat > "$HOME/.vimrc" <<END
syntax on
set number cursorline laststatus=2 noswapfile noshowmode viminfo= background=$theme t_RB= t_RF=
set statusline=\ %f\ %m%=%l:%c\ 
highlight CursorLine cterm=none
highlight CursorLineNr cterm=bold ctermfg=3
highlight LineNr ctermfg=8
highlight StatusLine cterm=reverse ctermfg=8 ctermbg=none
END
cat > "$HOME/.config/htop/htoprc" <<'END'
htop_version=3.2.2
config_reader_min_version=3
hide_kernel_threads=1
hide_userland_threads=1
show_program_path=0
header_layout=two_50_50
column_meters_0=AllCPUs Memory
column_meter_modes_0=1 1
column_meters_1=Tasks LoadAverage
column_meter_modes_1=2 2
delay=10
screen:Main=PID PRIORITY STATE M_RESIDENT PERCENT_CPU PERCENT_MEM TIME COMM
.sort_key=PERCENT_CPU
.sort_direction=-1
END
cat > "$HOME/.gitconfig" <<'END'
[user]
	name = Hana
	email = hana@example.org
[init]
	defaultBranch = main
[color]
	ui = always
END

cd "$HOME/kotatsu"
git init -q
day=10
keep() {
	git add -A
	day=$((day + 1))
	GIT_AUTHOR_DATE="2026-11-${day}T20:00:00+09:00" GIT_COMMITTER_DATE="2026-11-${day}T20:00:00+09:00" \
		git commit -q --no-verify -m "$1"
}

printf '# kotatsu\n\nKeeps a room warm, and a cat content.\n' > README.md
printf '__pycache__/\n.pytest_cache/\n' > .gitignore
keep "Begin with a warm room"

printf '"""A heated table, as a small service."""\n' > kotatsu/__init__.py
cat > kotatsu/heater.py <<'END'
"""The heater below the table."""

LEVELS = ("off", "low", "cosy", "hot")


class Heater:
    def __init__(self) -> None:
        self.level = "off"

    def turn(self, level: str) -> None:
        if level not in LEVELS:
            raise ValueError(f"no such level: {level}")
        self.level = level
END
keep "Add a heater with four levels"

cat > kotatsu/timer.py <<'END'
"""Turns the heater off when everybody has fallen asleep."""

from __future__ import annotations

from dataclasses import dataclass

from kotatsu.heater import Heater

QUIET_MINUTES = 30


@dataclass
class SleepTimer:
    """Watches for the last movement under the blanket."""

    heater: Heater
    quiet_for: int = 0

    def moved(self) -> None:
        """Somebody (or the cat) is awake."""
        self.quiet_for = 0

    def minute(self) -> bool:
        """Let a minute pass; tell whether the heater was turned off."""
        self.quiet_for += 1
        if self.quiet_for < QUIET_MINUTES:
            return False
        self.heater.turn("off")
        return True


def minutes_left(timer: SleepTimer) -> int:
    """How long the table stays warm if nobody moves."""
    return max(0, QUIET_MINUTES - timer.quiet_for)
END
keep "Turn the heater off when all are asleep"

cat > tests/test_timer.py <<'END'
from kotatsu.heater import Heater
from kotatsu.timer import QUIET_MINUTES, SleepTimer, minutes_left


def test_turns_off_after_half_an_hour():
    timer = SleepTimer(Heater())
    assert [timer.minute() for _ in range(QUIET_MINUTES)][-1]


def test_a_cat_counts_as_somebody():
    timer = SleepTimer(Heater(), quiet_for=29)
    timer.moved()
    assert minutes_left(timer) == 30


def test_stays_warm_while_somebody_moves():
    timer = SleepTimer(Heater(), quiet_for=29)
    timer.minute()
    assert timer.heater.level == "cosy"


def test_knows_four_levels():
    Heater().turn("hot")
END
cat > Makefile <<'END'
build:
	@sh build.sh
END
keep "Test the timer"
git checkout -q -b mikan
cat > build.sh <<'END'
step() { printf '\033[32m✓\033[0m %-26s \033[90m%s ms\033[0m\n' "$1" "$2"; sleep 0.12; }
printf '\033[1mkotatsu\033[0m 0.4.0\n\n'
for name in blanket table heater timer cushions teapot mikan; do step "compile $name" $((${#name} * 17)); done
printf '\033[33m!\033[0m teapot: 2 cups missing\n'
for n in 1 2 3 4; do step "bundle part $n of 4" $((n * 41)); done
n=0
while :; do
	n=$((n + 1))
	printf '\033[34m…\033[0m warming up, %s °C\n' $((18 + n / 10))
	sleep 1
done
END
cat > ask.sh <<'END'
printf 'Plan for \033[1mliving-room\033[0m:\n\n'
printf '  \033[32m+\033[0m kotatsu.timer\n  \033[33m~\033[0m kotatsu.heater   low -> cosy\n  \033[31m-\033[0m stove.old\n\n'
printf 'Go on with these 3 changes? [y/N] \a'
read -r _
END
cat > serve.py <<'END'
import time

SEEN = (
    ("20:02:11", 200, "/", 12), ("20:02:11", 200, "/style.css", 2), ("20:02:12", 200, "/cat.webp", 31),
    ("20:04:40", 200, "/warmth", 3), ("20:05:18", 200, "/api/timer", 7), ("20:07:52", 404, "/stove", 1),
    ("20:09:30", 200, "/mikan", 9),
)
print("Serving on http://localhost:8000\n")
for at, code, path, ms in SEEN:
    print(f"\033[90m{at}\033[0m \033[{32 if code == 200 else 31}m{code}\033[0m GET {path:12} {ms:3} ms", flush=True)
while True:
    time.sleep(60)
END
keep "Pour tea, peel a mikan"
