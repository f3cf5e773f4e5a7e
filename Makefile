# Every target is a thin name for a command; the environment (.venv) is made on first use.
PYTHON ?= python3
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
SOURCES := solutions
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help lab test test-all bench notebooks bundle format lint clean environment

help: ## show this list
	@echo "Transformer by Hand. Choose a Python (3.10 or newer) with PYTHON=python3.12"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

lab: ## open the lessons in JupyterLab, on your own copy in work/
	@$(PYTHON) -m helpers lab $(ARGS)

test: environment lint ## everything that must hold, on small samples (no browser needed)
	$(BIN)/python -m pytest -n auto -m "not slow"
	$(BIN)/python -m pytest --nbval --nbval-current-env --nbval-cell-timeout=120 -n auto --dist loadscope $(SOURCES)
	$(BIN)/python -m helpers notebooks --check
	@$(BIN)/python tests/browser/chromium.py

test-all: environment ## what is slow, spans of Python and NumPy, and the lessons in a real browser
	$(BIN)/python -m pytest -n auto --dist loadscope -m slow
	$(BIN)/python tests/spans.py
	$(BIN)/python -m pytest tests/browser -n 2 --dist loadfile

bench: environment ## print the measured tables
	$(BIN)/python -m pytest tests/benchmarks -s -q

notebooks: environment ## execute solutions/ and make the student release in notebooks/
	$(BIN)/python -m helpers notebooks

bundle: environment ## write what students are given to dist/: a zip file, and notebooks that work alone
	$(BIN)/python -m helpers bundle $(ARGS)

format: environment ## let ruff format and mend the code
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

lint: environment ## let ruff check the code and its format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

clean: ## remove the environment and all caches (work/ stays)
	rm -rf .venv .tox .pytest_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -prune -exec rm -rf {} +

environment:
	@$(PYTHON) -m helpers setup dev
