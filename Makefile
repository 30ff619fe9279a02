# Everything a developer does; `make` alone prints it. Every target sets up what it needs by itself.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
CODEGEN := .venv-codegen
MYPYC := .venv-mypyc
READY := $(VENV)/.ready
READY_ORACLE := $(VENV)/.ready-oracle
READY_CODEGEN := $(CODEGEN)/.ready

PYTEST := $(VENV)/bin/python -m pytest
FAST := -m "not slow and not oracle"
# Extra arguments for pytest: make test ARGS="-k moon -x"
ARGS ?=

PROTOS := $(wildcard proto/kiery/v1/*.proto)
# Writes all generated code below $(1); the path of a .proto is the path of its module.
PROTOC = $(CODEGEN)/bin/python -m grpc_tools.protoc -Iproto --python_out=$(1) --grpc_python_out=$(1) \
	--plugin=protoc-gen-mypy=$(CODEGEN)/bin/protoc-gen-mypy \
	--plugin=protoc-gen-mypy_grpc=$(CODEGEN)/bin/protoc-gen-mypy_grpc \
	--mypy_out=quiet:$(1) --mypy_grpc_out=quiet:$(1) $(PROTOS) \
	&& $(CODEGEN)/bin/buf build proto -o $(1)/kiery/v1/kiery.binpb

# Makes an environment at $(1) with the first Python that is new enough, and a pip that knows groups.
define MAKE_VENV
python=; for candidate in $${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do \
	if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		python=$$candidate; break; fi; done; \
if [ -z "$$python" ]; then \
	echo 'kiery needs Python 3.11 or newer and found none; install it, or name it: make PYTHON=/path/to/python3' >&2; exit 1; fi; \
if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	echo "$$python has no venv module; install it (Debian and Ubuntu: apt-get install python3-venv)" >&2; exit 1; fi; \
echo "Setting up $(1) with $$("$$python" --version) ..."; \
"$$python" -m venv $(1); \
$(1)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
endef
PIP_INSTALL := bin/python -m pip install --quiet --disable-pip-version-check

.PHONY: help
help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(READY) ## Make .venv with kiery and the tools of development

.PHONY: demo
demo: $(READY) ## Play a tournament of six bots here, and verify its records
	@rm -f demo.sqlite demo.sqlite[-.]*
	$(VENV)/bin/kiery run --rules hearts --players 4 --deals-per-bot 160 --name demo --store sqlite:///demo.sqlite \
		--bot cautious-1=cautious --bot cautious-2=cautious --bot low-1=low --bot low-2=low \
		--bot random-1=random --bot random-2=random

.PHONY: serve
serve: $(READY) ## Run a server that bots dial in to
	$(VENV)/bin/kiery serve

.PHONY: test
test: $(READY) ## Run the quick tests
	$(PYTEST) $(FAST) $(ARGS)

.PHONY: test-all
test-all: $(READY_ORACLE) ## Run all tests: also the slow ones and the comparison with OpenSpiel
	$(PYTEST) --numprocesses auto --dist worksteal --ignore tests/bench $(ARGS)
# What measures wants the machine for itself.
	$(PYTEST) tests/bench

# How many seeds: make simulate SEEDS=5000
SEEDS ?= 1000

.PHONY: simulate
simulate: $(READY) ## Play tournaments on virtual time in which everything goes wrong
	$(VENV)/bin/python -m tests.simulation --seeds $(SEEDS)

.PHONY: cov
cov: $(READY_ORACLE) ## Run all tests and report what they do not reach
	$(PYTEST) --cov --cov-report=term --cov-report=html $(ARGS)

.PHONY: check
check: lint types proto-check test-all ## Everything that must hold before a change is taken

.PHONY: lint
lint: $(READY) ## Check style and format
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

.PHONY: types
types: $(READY) ## Check types
	$(VENV)/bin/mypy

.PHONY: fmt
fmt: $(READY) $(READY_CODEGEN) ## Format the Python code and the schema
	$(VENV)/bin/ruff check --quiet --fix-only .
	$(VENV)/bin/ruff format --quiet .
	$(CODEGEN)/bin/buf format --write proto

.PHONY: proto
proto: $(READY_CODEGEN) ## Regenerate server/kiery/v1 from proto/
	$(call PROTOC,server)

.PHONY: proto-check
proto-check: $(READY_CODEGEN) ## Fail if the schema is not clean or the generated code is stale
	$(CODEGEN)/bin/buf lint proto
	$(CODEGEN)/bin/buf format --diff --exit-code proto
	@rm -rf .gen && mkdir .gen
	$(call PROTOC,.gen)
	@diff -r -x __init__.py -x __pycache__ .gen/kiery/v1 server/kiery/v1 \
		|| { echo 'server/kiery/v1 is stale: run `make proto` and commit the result' >&2; exit 1; }
	@rm -rf .gen

.PHONY: mypyc
mypyc: $(MYPYC)/.ready ## Compile the engine with mypyc (needs a C compiler) and run its tests so
	@rm -rf build/mypyc
	KIERY_MYPYC=1 $(MYPYC)/$(PIP_INSTALL) --force-reinstall --no-deps .
	@cd / && $(CURDIR)/$(MYPYC)/bin/python -c 'from kiery.engine import deal; assert not deal.__file__.endswith(".py"), deal.__file__'
	$(MYPYC)/bin/python -m pytest $(FAST) tests/cards tests/rules tests/engine tests/record $(ARGS)

.PHONY: clean
clean: ## Remove the environments and everything that was made
	rm -rf $(VENV) $(CODEGEN) $(MYPYC) .gen build dist htmlcov .coverage .coverage.* \
		.hypothesis .mypy_cache .pytest_cache .ruff_cache demo.sqlite demo.sqlite[-.]*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is written last, so an interrupted set-up starts again.
$(READY): pyproject.toml
	@$(call MAKE_VENV,$(VENV))
	@$(VENV)/$(PIP_INSTALL) --group dev --editable '.[all]'
	@touch $@

$(READY_ORACLE): $(READY)
	@$(VENV)/$(PIP_INSTALL) --group oracle --group plot
	@touch $@

$(READY_CODEGEN): pyproject.toml
	@$(call MAKE_VENV,$(CODEGEN))
	@$(CODEGEN)/$(PIP_INSTALL) --group codegen
	@touch $@

$(MYPYC)/.ready: pyproject.toml
	@$(call MAKE_VENV,$(MYPYC))
	@$(MYPYC)/$(PIP_INSTALL) --group dev '.[all]'
	@touch $@
