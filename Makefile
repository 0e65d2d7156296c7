# Everything is installed into .venv; Python 3.11 or newer with venv, make and git are needed.
# `make PYTHON=python3.12 run` chooses another Python than the first one that is new enough.
CANDIDATES := python3 python3.14 python3.13 python3.12 python3.11
PYTHON ?= $(shell for p in $(CANDIDATES); do "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
BIN := .venv/bin
BESIDE := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder
# The files whose tests have a mark: to collect all takes each process seconds.
MARKED = $$(grep -rl --include='test_*.py' 'mark\.$(1)' tests)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# What pytest makes of the tests is kept for the next run.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test slow variants examples agents hammer lines mutants commands windows plain check release bench lint types wheel lock words declarations clean

run:
	@if ! { test -t 0 && test -t 1; }; then \
	  echo "nagomi: the workplace needs a terminal, and there is none here." >&2; exit 1; fi
	@$(MAKE) --no-print-directory .venv/run.stamp
	@NAGOMI_STARTED_BY='$(if $(filter $(PWD),$(CURDIR)),make run,make -C $(CURDIR) run)' $(BIN)/nagomi

# Some minutes; `make slow` runs the rest, and `make check` both.
test: .venv/dev.stamp
	$(BESIDE) -m 'not slow and not alone'

# Whole stories, real agents, and what is killed, flooded or started anew.
slow: .venv/dev.stamp
	$(BESIDE) $(call MARKED,slow) -m 'slow and not alone and not variant'
	$(BIN)/python -m pytest $(call MARKED,alone) -m alone

# The slow tests of more agents, languages and signals, which `make check` leaves out for their time.
variants: .venv/dev.stamp
	$(BESIDE) $(call MARKED,variant) -m variant

# Tries the property tests with thirty times as many examples, all of them new; some minutes.
examples: .venv/dev.stamp
	NAGOMI_TEST_EXAMPLES=30 $(BIN)/python -m pytest $$(grep -rl "import .*given" tests) -n auto --timeout 1800 --session-timeout 3600

# Installs every coding agent that can be had (3 GB) outside of the tree, and prints the variables
# that name them: `env $$(make -s agents) .venv/bin/python -m benchmarks judge_live`.
agents:
	@.ci/clients all

# Tries to break nagomi; some minutes. `tests/hammer/` says how.
hammer: .venv/dev.stamp
	$(BIN)/python -m pytest tests/hammer -n auto --dist worksteal --reruns 0 --session-timeout 600 --tb short --show-capture no

# Kills a slow line 50 times, cuts it for 30 s, and kills all else in turn 40 times; ten minutes.
lines: .venv/dev.stamp
	NAGOMI_TEST_KILLS=50 NAGOMI_TEST_ROUNDS=40 NAGOMI_TEST_CUT=30 $(BIN)/python -m pytest tests/hands/test_bad_lines.py

# Puts a hundred small faults into the rules, and sees a test fail for each; `tests/mutants/` says how.
mutants: .venv/dev.stamp
	$(BIN)/python -m tests.mutants $(if $(SEED),--seed $(SEED))

# Draws shell commands, and runs those that are called reads where they could do no harm.
commands: .venv/dev.stamp
	$(BIN)/python -m tests.shell.generated $(if $(SEED),--seed $(SEED)) $(if $(DRAWN),--drawn $(DRAWN)) \
		$(if $(COUNT),--count $(COUNT)) $(if $(FROM),--from $(FROM))

# Tries what can be tried of Windows, by a Python of Windows under wine, which it installs outside of the tree.
windows:
	@.ci/windows

# Runs the two commands of the README on minimal Debian systems, which debootstrap builds outside of the tree.
plain:
	@.ci/plain

lint: .venv/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

# All at once: each takes one core and half a minute, and less where its own cache is there.
types: .venv/dev.stamp
	@for system in linux win32 darwin; do \
	  $(BIN)/mypy --platform $$system --cache-dir .mypy_cache/$$system & all="$$all $$!"; \
	done; for one in $$all; do wait $$one || code=$$?; done; exit $$code

wheel: .venv/dev.stamp
	$(BIN)/python tests/wheel_check.py

check: lint types test slow wheel

# What a release needs besides: each sentence in Japanese, too.
release: check
	$(BIN)/python -m tests.helpers.catalog whole

bench: .venv/dev.stamp
	$(BIN)/python -m benchmarks

# Compiles the Japanese catalog, and lists the sentences that it lacks.
words: .venv/dev.stamp
	$(BIN)/pybabel -q compile -D nagomi -d nagomi_tui/locale
	@$(BIN)/python -m tests.helpers.catalog list

# After a change of pyghostty's version.
declarations: .venv/dev.stamp
	$(BIN)/python -m tests.helpers.declarations

COMPILE := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header
lock:
	$(COMPILE) --group dev -o requirements-dev.txt pyproject.toml
	$(COMPILE) --constraint requirements-dev.txt -o requirements.txt pyproject.toml
	$(COMPILE) --constraint requirements-dev.txt --group build -o requirements-build.txt

.venv/bin/python:
	@if [ -z "$(PYTHON)" ]; then echo "nagomi: Python 3.11 or newer is needed, and none of $(CANDIDATES) is one; set PYTHON to it." >&2; exit 1; fi
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"nagomi: Python 3.11 or newer is needed, and {sys.executable} is {sys.version.split()[0]}.")'
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { echo "nagomi: Python's venv module is missing; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@"$(PYTHON)" -m venv .venv || { rm -rf .venv; exit 1; }

# What builds nagomi is locked too, so that nothing is installed whose hash was not checked.
.venv/run.stamp: requirements.txt requirements-build.txt pyproject.toml | .venv/bin/python
	@echo "nagomi: installing into .venv (once, less than a minute)"
	@$(INSTALL) --require-hashes -r requirements.txt -r requirements-build.txt
	@$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

.venv/dev.stamp: .venv/run.stamp requirements-dev.txt
	@echo "nagomi: installing the tools for its tests into .venv"
	@$(INSTALL) --require-hashes -r requirements-dev.txt
	@touch $@

clean:
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
