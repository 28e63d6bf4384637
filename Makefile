# Everything a person or CI runs. `make demo` and `make test` need only Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest
DOCS := .venv-docs
NEWEST := .venv-newest
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
export PIP_NO_WARN_SCRIPT_LOCATION := 1

.PHONY: demo docs check-docs test test-oldest test-newest slow soak coverage check format bench study release-check clean

demo: $(VENV)/installed
	$(BIN)/tabcast demo

test: $(VENV)/installed-dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" $(ARGS)

# The tests at the lower bounds of pyproject.toml, without extras.
test-oldest: $(OLDEST)/installed
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(OLDEST)/bin/python -m pytest -n 2 --dist worksteal -m "not slow" $(ARGS)

# The tests with the newest packages on another Python: make test-newest PYTHON=python3.13
test-newest:
	$(MAKE) test VENV=$(NEWEST)

slow: $(VENV)/installed-dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m slow $(ARGS)

# Random tables, files and command lines for MINUTES; prints the counts by outcome. See docs/reliability.md.
MINUTES ?= 15
soak: $(VENV)/installed-dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.fuzz.soak --minutes $(MINUTES) $(ARGS)

# Statements and branches; prints the lines that no test reaches, and fails below the threshold in pyproject.toml.
coverage: $(VENV)/installed-dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" --cov --cov-report=term-missing:skip-covered $(ARGS)

# The site, into build/docs: pages, API reference and gallery; warnings are errors. Once set up, it needs no network.
docs: $(DOCS)/installed
	rm -rf build/docs docs/auto_examples
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(DOCS)/bin/python -m sphinx --fail-on-warning --keep-going --quiet --fresh-env -j 2 docs build/docs $(ARGS)
	@echo "The site is in build/docs/index.html"

# Opens every page in headless Chromium, as wide as a laptop and as a phone; fails where code or a table is cut off.
check-docs: docs
	$(DOCS)/bin/python tools/check_pages.py build/docs

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/python tools/check_docstrings.py

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/installed-dev
	for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# The paper's tables and figures: about eight hours of two cores, a quarter of them for networks; may be stopped and started again. See docs/study.md.
study: $(VENV)/installed-dev
	$(BIN)/tabcast study run paper/configs/*.toml --profile quick --jobs 2 $(ARGS)
	$(BIN)/tabcast study write paper/configs/*.toml --profile quick --out paper/results

# Builds sdist and wheel, and uses the wheel as somebody without this repository: README, a sample of the tests.
release-check: $(VENV)/created
	$(PIP) build
	$(BIN)/python tools/release_check.py $(ARGS)

clean:
	rm -rf $(VENV) $(OLDEST) $(NEWEST) $(DOCS) .pytest_cache .mypy_cache .ruff_cache build dist

$(VENV)/created:
	$(PYTHON) -c "import sys; assert sys.version_info >= (3, 11), 'tabcast needs Python 3.11 or newer; set PYTHON=...'"
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	touch $@

$(VENV)/installed: $(VENV)/created pyproject.toml constraints.txt
	$(PIP) --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(PIP) --group test --group check
	touch $@

# The package and what builds the site: no extra, no torch, nothing of the tests.
$(DOCS)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --upgrade pip
	$(DOCS)/bin/python -m pip install --quiet --constraint constraints.txt --editable . --group docs
	touch $@

$(OLDEST)/installed: pyproject.toml constraints-oldest.txt
	rm -rf $(OLDEST)
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --upgrade pip
	$(OLDEST)/bin/python -m pip install --quiet --constraint constraints-oldest.txt --editable . --group test-oldest
	touch $@
