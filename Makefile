# Every target is a thin name for a command, which runs without make as well; the environment (.venv) is made on first use.
PYTHON ?= python3
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help lab test test-all bench notebooks bundle site format lint clean doctor

help: ## show this list
	@echo "Transformer by Hand. Choose a Python (3.10 or newer) with PYTHON=python3.12; without make: python3 -m helpers TARGET"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

lab: ## open the lessons in JupyterLab, on your own copy in work/
	@$(PYTHON) -m helpers lab $(ARGS)

test: ## everything that must hold, on small samples (no browser needed)
	@$(PYTHON) -m helpers test

test-all: ## what is slow, spans of Python and NumPy, and the lessons in a real browser
	@$(PYTHON) -m helpers test-all

bench: ## print the measured tables
	@$(PYTHON) -m helpers bench

notebooks: ## execute solutions/ and make the student release in notebooks/
	@$(PYTHON) -m helpers notebooks $(ARGS)

bundle: ## write what students are given to dist/: a zip file, and notebooks that work alone
	@$(PYTHON) -m helpers bundle $(ARGS)

site: ## build the web site in build/site
	@$(PYTHON) -m helpers site $(ARGS)

format: ## let ruff format and mend the code
	@$(PYTHON) -m helpers format

lint: ## let ruff check the code and its format
	@$(PYTHON) -m helpers lint

doctor: ## say what is installed here, what is missing, and what to type
	@$(PYTHON) -m helpers doctor

clean: ## remove the environment and all caches (work/ stays)
	@$(PYTHON) -m helpers clean
