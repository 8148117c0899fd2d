# Every target sets up what it needs; `make` alone lists them.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
LINK := .cache/src/kaicep

.DEFAULT_GOAL := help
.PHONY: help setup programs page demo serve-demo test test-fast test-long reliability soak fuzz fuzzer structure lint format docs docs-serve docs-release bench endurance clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(READY) $(LINK) programs ## make .venv with kaicep and everything that it needs, Java included

# Python compiles what is used when it is used; to compile everything beforehand takes a quarter of the time.
$(READY): pyproject.toml
	@echo "setting up .venv (a few minutes the first time) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kaicep needs Python 3.11 or newer")'
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# mypy and ruff find the package `kaicep` here: the repository root has the name of the checkout, whatever that is.
$(LINK):
	@mkdir -p $(@D) && ln -sfn ../.. $@

# What the tests talk to; without it everything else goes on.
programs:
	@for program in mosquitto postgresql prometheus chromium; do .ci/program $$program; done

page: ## bundle the page of `kaicep serve` anew, from server/page/source; takes Node
	@cd server/page/source && npm ci --no-audit --no-fund --silent && npm run --silent build

demo: setup ## stream the real readings of a building through Spark, with queries; about a minute
	@$(BIN)/kaicep demo

serve-demo: setup ## show that building live at 60x on a page, http://127.0.0.1:8080; Ctrl-C stops it, the next one goes on
	@$(BIN)/kaicep demo --live --folder build/serve-demo

# The random cases are the same ones every time: what passed passes again. New ones are drawn by test-long.
test: setup ## run the tests, a few minutes
	$(BIN)/python -m pytest tests -m "not long" --hypothesis-profile ci --numprocesses auto --dist loadgroup

test-fast: setup ## run what one runs after each change: no Spark, no long property tests; a minute
	$(BIN)/python -m pytest tests -m "not long and not spark and not slow" --hypothesis-profile ci --numprocesses auto

test-long: setup fuzzer ## run the soaks as well, with new random cases; hours
	$(BIN)/python -m pytest tests --numprocesses auto --dist loadgroup

reliability: setup fuzzer ## let engines meet everything that a year may bring, and print the figures; hours
	$(BIN)/python -m pytest tests -m reliability --numprocesses auto --dist loadgroup

soak: setup ## ill-treat an engine over real Spark, a fault a minute, for half an hour: nothing lost, nothing twice
	PYTHONPATH=tests $(BIN)/python -m reliability.soak --minutes 30

fuzz: setup fuzzer ## fuzz what reads queries, annotations, requests and records, guided by coverage; MINUTES=10 for each
	PYTHONPATH=tests $(BIN)/python -m reliability.fuzz --minutes $(or $(MINUTES),10)

# Coverage guides the fuzzer, which has wheels for Linux alone; elsewhere its tests are left out, and everything else goes on.
fuzzer: setup
	@$(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check --editable '.[fuzz]' || \
		echo "the fuzzer cannot be installed here: its tests are left out"

structure: setup ## print the figures of the structural rules
	@PYTHONPATH=tests $(BIN)/python -m support.structure

lint: setup ## check style and types
	$(BIN)/ruff check $(LINK)
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(LINK)

format: setup ## format the code
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format .

docs: setup ## build the documentation site into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

docs-serve: setup ## show the documentation site while one writes
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

docs-release: setup ## add this version to the published site, the branch gh-pages; push it yourself
	NO_MKDOCS_2_WARNING=1 PATH="$(abspath $(BIN)):$$PATH" mike deploy --update-aliases $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml) latest

bench: setup ## measure the whole path, the semantic filter, patterns, the archive, contexts, windows by condition, calls, service, states on demand, many queries, a cluster and a server under load, two hours
	$(BIN)/python -m benchmarks.path
	$(BIN)/python -m benchmarks.semantic
	$(BIN)/python -m benchmarks.cep
	$(BIN)/python -m benchmarks.archive
	$(BIN)/python -m benchmarks.contexts
	$(BIN)/python -m benchmarks.check_windows
	$(BIN)/python -m benchmarks.rules
	$(BIN)/python -m benchmarks.service
	$(BIN)/python -m benchmarks.asking
	$(BIN)/python -m benchmarks.many_queries
	POLARS_MAX_THREADS=1 $(BIN)/python -m benchmarks.shards
	POLARS_MAX_THREADS=1 $(BIN)/python -m benchmarks.shard_skew
	$(BIN)/python -m benchmarks.cluster
	$(BIN)/python -m benchmarks.load

endurance: setup ## let an engine do a simulated year of 100,000 batches, and draw what it keeps; hours
	$(BIN)/python -m benchmarks.endurance

clean: ## remove what the targets made
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info build
