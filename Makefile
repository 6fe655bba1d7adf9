# Each target makes the virtual environment it needs; Python 3.11 or later is all it takes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

# What is tested: the sources, or a wheel with INSTALL=dist/*.whl.
INSTALL ?= --editable .
WORKFLOWS = .github/workflows/*.yml examples/workflows/*.yml

.PHONY: help demo test check conformance e2e golden docs wheel lock bench clean

help: ## Show the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.run ## Evaluate the endpoint that comes with ragproof
	$(BIN)/ragproof demo --out ragproof-out

test: $(VENV)/.dev ## Run the tests
	$(BIN)/python -m pytest --ignore=tests/conformance --ignore=tests/e2e

check: $(VENV)/.dev ## Lint code, image, action and workflows; check types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy entrypoint.py .github/selftest.py benchmarks/image.py
	$(BIN)/hadolint Dockerfile
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows $(WORKFLOWS)
	$(BIN)/zizmor --offline --quiet --no-progress --config .github/zizmor.yml action.yml $(WORKFLOWS)
	@! command -v actionlint >/dev/null || actionlint $(WORKFLOWS)

conformance: $(VENV)/.dev ## Run the tests on published data (they skip where it is absent)
	$(BIN)/python -m pytest tests/conformance

e2e: $(VENV)/.e2e ## Run the action in containers, as a runner does (skips where no engine can be had)
	$(BIN)/python -m pytest tests/e2e

golden: $(VENV)/.dev ## Rewrite the golden files
	UPDATE_GOLDEN=1 $(BIN)/python -m pytest -q tests/report

docs: $(VENV)/.dev ## Rewrite the generated parts of docs/
	$(BIN)/python scripts/generate_docs.py

wheel: $(VENV)/bin/python ## Build the wheel
	$(PIP) install --quiet --require-hashes -r requirements/build.txt
	$(BIN)/hatchling build -t wheel

# One version of everything: what is tested (dev) binds what is run, shipped and built with.
lock: $(VENV)/.dev ## Resolve the locked dependencies anew
	$(PIP) install --quiet uv
	compile() { \
	  echo "$$1"; \
	  $(BIN)/uv pip compile --quiet --universal --upgrade --generate-hashes --no-emit-index-url \
	    --python-version 3.11 --custom-compile-command "make lock" -o requirements/"$$@"; \
	}; set -e; \
	compile dev.txt --extra dev --extra ingest pyproject.toml; \
	compile run.txt -c requirements/dev.txt pyproject.toml; \
	compile image.txt -c requirements/dev.txt --extra ingest pyproject.toml; \
	compile e2e.txt -c requirements/dev.txt --group e2e; \
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])' \
	  | compile build.txt -c requirements/dev.txt -

bench: $(VENV)/.dev ## Measure speed beside bare loops (see benchmarks/README.md)
	$(BIN)/python benchmarks/run.py

clean: ## Remove what the other targets made
	rm -rf $(VENV) ragproof-out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "ragproof needs Python 3.11 or later; name one with make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements/run.txt pyproject.toml | $(VENV)/bin/python
	$(PIP) install --quiet --require-hashes -r requirements/run.txt
	$(PIP) install --quiet --no-deps $(INSTALL)
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml | $(VENV)/bin/python
	$(PIP) install --quiet --require-hashes -r requirements/dev.txt
	$(PIP) install --quiet --no-deps $(INSTALL)
	@touch $@ $(VENV)/.run

$(VENV)/.e2e: requirements/e2e.txt $(VENV)/.dev
	$(PIP) install --quiet --require-hashes -r requirements/e2e.txt
	@touch $@
