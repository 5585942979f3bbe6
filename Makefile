# Needs make and Python 3.11 or newer; everything else is fetched into .venv.
#
#   make run PYTHON=python3.12      choose the Python that .venv is made of (first setup only)
#   make test ARGS="-k locale -x"   pass arguments on to pytest

PYTHON ?= python3
# One more than the two cores of CI: tests that wait for PostgreSQL, a server or a browser leave theirs to others.
WORKERS ?= 3
ARGS ?=
EXAMPLE := examples/blog
ADDRESS ?= http://localhost:1337

VENV := .venv
BIN := $(VENV)/bin
CODE := src tests $(wildcard bench) hatch_build.py
UI := src/quire/static/admin/index.html
UI_SOURCES := $(shell find ui -path ui/node_modules -prune -o -type f -print)
NPM := $(BIN)/python hatch_build.py --npm

export UV_PYTHON_DOWNLOADS := never
# What the first process of a test run compiles, modules with rewritten asserts, is there for all others.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run ui test test-system check pictures fmt bench coverage lock upgrade

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

setup: $(VENV)/.installed $(UI) ## Make .venv, install the locked dependencies and the project, build the admin UI

run: setup ## Start the example project on its own SQLite database, made and filled the first time
	@test -f $(EXAMPLE)/.tmp/data.db || $(BIN)/quire seed $(EXAMPLE)
	@echo "The API is at $(ADDRESS)/api, the admin UI at $(ADDRESS)/admin."
	@echo "To try, and more in $(EXAMPLE)/README.md:"
	@echo "  $(ADDRESS)/api/articles?fields=title,publishedOn&sort=publishedOn:desc"
	@echo "  $(ADDRESS)/api/articles?filters[tags][slug]=storms&populate[author][fields]=name"
	@echo "  $(ADDRESS)/api/articles?locale=de&fields=title"
	@echo "  $(ADDRESS)/api/homepage?populate[sections][populate]=*"
	$(BIN)/quire start $(EXAMPLE) $(ARGS)

ui: setup ## Serve the admin UI from its sources, beside a server that runs already
	$(NPM) ci --no-audit --no-fund
	QUIRE_ADDRESS=$(ADDRESS) $(NPM) run dev

# Of two options -m the later one counts. Tests that ARGS name are run, whatever they need.
PYTEST = $(BIN)/pytest -n $(WORKERS) --dist worksteal

test: setup ## Run the tests, except for system tests
	$(PYTEST) $(if $(filter tests/%,$(ARGS)),,-m "not system") $(ARGS)

# The tools that check the accessibility of the admin UI; its build needs none of them.
AXE := ui/node_modules/axe-core/package.json
$(AXE): | setup
	$(NPM) ci --no-audit --no-fund --loglevel=error

test-system: setup $(AXE) ## Run the system tests: with a browser, or servers and tools in processes
	$(PYTEST) -m "system" $(ARGS)

check: setup ## Check style, formatting, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports --no-logo
ifneq ($(wildcard ui/node_modules/vitest),)
	$(NPM) run --silent check
endif

pictures: setup ## Take the pictures of the documentation anew, from the tests of the admin UI
	PICTURES=1 $(BIN)/pytest $(shell grep -l take_picture tests/ui/test_*.py) $(ARGS)

fmt: setup ## Format the code and fix what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup ## Measure, and print the table
	$(BIN)/python -m bench $(ARGS)

coverage: setup ## Run the tests and say which lines they leave out
	$(BIN)/coverage run -m pytest $(ARGS)
	$(BIN)/coverage report

# The lock: exact versions with hashes, for every platform, without the names of package hosts.
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock" $(UPGRADE)

lock: $(VENV)/.installed ## Bring requirements/*.txt in line with pyproject.toml
	$(COMPILE) pyproject.toml --output-file requirements/run.txt
	$(COMPILE) pyproject.toml --group dev --constraint requirements/run.txt --output-file requirements/dev.txt
	$(COMPILE) --group bootstrap --constraint requirements/dev.txt --output-file requirements/bootstrap.txt
	$(COMPILE) --group node --output-file requirements/node.txt

upgrade: ## Raise requirements/*.txt to the newest versions
	@$(MAKE) lock UPGRADE=--upgrade

# Two steps with a stamp each: uv by pip, then everything by uv. The second runs again whenever
# something it installs from has changed; a half-made .venv is made anew. Everything is compiled then
# and there, so that the server's first start does not have to.
$(VENV)/.installed: $(VENV)/.bootstrapped pyproject.toml requirements/dev.txt src/quire/__init__.py
	@echo "Installing the dependencies and the project ..."
	@$(BIN)/uv pip install --compile-bytecode --python $(BIN)/python --require-hashes --requirement requirements/dev.txt
	@QUIRE_SKIP_UI=1 $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

# The admin UI: with Node.js of this machine, or else with one from the package index.
$(UI): $(UI_SOURCES) hatch_build.py $(VENV)/.installed
	@echo "Building the admin UI ..."
	@! $(BIN)/python hatch_build.py --needs-node || \
		$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --requirement requirements/node.txt
	@$(BIN)/python hatch_build.py
	@touch $@

$(VENV)/.bootstrapped: requirements/bootstrap.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed, and $(PYTHON) is not one. Name one: make setup PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make virtual environments: its venv and ensurepip modules are missing." >&2; \
		echo "On Debian and Ubuntu they come with: apt-get install python3-venv" >&2; exit 1; }
	@echo "Preparing $(VENV) ..."
	@$(BIN)/python -c 'import pip, sys; sys.exit(sys.prefix == sys.base_prefix)' 2>/dev/null || \
		$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/bootstrap.txt
	@touch $@
