# demo, test and check are the only commands to know.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test check clean

demo: $(VENV)/installed
	$(BIN)/python grade.py demo
	$(BIN)/python grade.py pipeline --out out/pipeline

# Three workers for two cores: some tests wait for a limit. Bytecode is kept, whatever the environment
# says: to rewrite the asserts of all tests anew costs each worker 10 seconds.
test: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/installed-dev
	$(BIN)/python -m compileall -q commands graders reference reports submissions
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder -m "not long"

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict
	$(BIN)/lint-imports --no-logo

clean:
	rm -rf $(VENV) out build *.egg-info .mypy_cache .ruff_cache .pytest_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Error: $(PYTHON) is older than Python 3.11'; \
	    echo 'hint: make demo PYTHON=python3.11'; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo 'Installing Softmark and PyTorch into $(VENV): a few minutes, 2 GB (7 GB with GPU libraries)'
	$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e '.[courses]'
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,courses]'
	touch $@
