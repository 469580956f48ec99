# Two commands on a fresh machine with Python 3.11, git and make:
#
#   make report    sets up what is needed and renders studies/quickstart.yaml to output/quickstart/
#   make test      sets up what is needed, checks the code and runs the tests
#
# Both install only into $(VENV). `make test-slow` runs the tests that start other programs or take seconds,
# `make test-kernels` tests the statistics as other processors compute them; CONTRIBUTING.md names the
# other targets.

VENV ?= .venv
STUDY ?= studies/quickstart.yaml
TESTS ?= -n auto --dist worksteal

BIN := $(VENV)/bin
export PYTHON
# Each process of the tests would compile all modules for itself.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: report test test-slow test-kernels test-lowest test-newest test-installation fuzz coverage check \
    format lock bench docs example licences results-schema wheel sbom clean help
.DELETE_ON_ERROR:

help:
	@sed -n '3,4s/^# *//p' Makefile

report: $(VENV)/.running
	@if tools/setup.sh has-pango; then \
	    $(BIN)/reportgen run $(STUDY); \
	else \
	    $(BIN)/reportgen run $(STUDY) --format html,md && tools/setup.sh pango; \
	fi

# The checks run while the tests run, on one log each; both must pass.
test: $(VENV)/.developing
	@log=$$(mktemp) && \
	{ $(MAKE) --no-print-directory check >$$log 2>&1 & check=$$!; }; \
	$(BIN)/python -m pytest $(TESTS) -m "not slow and not browser"; tests=$$?; \
	wait $$check; checks=$$?; \
	cat $$log; rm -f $$log; \
	[ $$checks -eq 0 ] || echo "make check has failed" >&2; \
	[ $$tests -eq 0 ] || echo "tests have failed" >&2; \
	[ $$checks -eq 0 ] && [ $$tests -eq 0 ]

# What starts other programs or ends them (Chromium, an installed wheel, a cluster, kill -9), and what
# takes a second of a processor.
test-slow: $(VENV)/.developing
	$(BIN)/python -m pytest $(TESTS) -m "slow or browser"

# Made-up input, other in every run, of one door or of all, again until the time is over:
#   make fuzz DOOR=tests/fuzz/test_json.py FUZZ_SECONDS=3600
FUZZ_EXAMPLES ?= 300
FUZZ_SECONDS ?= 0
DOOR ?= tests/fuzz tests/conclusion/test_agreement.py
fuzz: $(VENV)/.developing
	@end=$$(( $$(date +%s) + $(FUZZ_SECONDS) )); \
	while :; do \
	    FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) $(BIN)/python -m pytest $(TESTS) --hypothesis-show-statistics \
	        $(DOOR) || exit 1; \
	    [ $$(date +%s) -lt $$end ] || break; \
	done

# Branches of reportgen that the tests take but for those of a browser; what is not, in htmlcov/.
coverage: $(VENV)/.developing
	$(BIN)/python -m pytest $(TESTS) -m "not browser" --cov --cov-report=html --cov-report=term:skip-covered

# The same numbers under the linear algebra of several processors: the reports of two studies, and
# the tests of statistics under the oldest, as the others have run under the machine's own.
# OpenBLAS takes a kernel by name if the processor can run it.
KERNELS ?= Nehalem \
    $(shell grep -qsw avx2 /proc/cpuinfo && echo Haswell) \
    $(shell grep -qsw avx512f /proc/cpuinfo && echo SkylakeX)
test-kernels: $(VENV)/.developing
	$(BIN)/python tools/compare_kernels.py $(KERNELS)
	@kernel=$(firstword $(KERNELS)) && echo "tests/stats under $$kernel" && \
	    OPENBLAS_CORETYPE=$$kernel $(BIN)/python -m pytest $(TESTS) tests/stats

# The tests with the lowest packages that pyproject.toml allows, and with the newest there are.
test-lowest test-newest: test-%: $(VENV)/.developing
	$(BIN)/python tools/check_packages.py $* $(TESTS) -m "not slow and not browser"

check: $(VENV)/.developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.developing
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# --- setting up ---------------------------------------------------------------------

SETUP := tools/setup.sh pyproject.toml

$(VENV)/.running: requirements.txt $(SETUP)
	@tools/setup.sh environment $(VENV) requirements.txt
	@tools/setup.sh pango
	@touch $@

# The packages for developing are those for running, and more.
$(VENV)/.developing: requirements-dev.txt requirements.txt $(SETUP)
	@tools/setup.sh environment $(VENV) requirements-dev.txt
	@tools/setup.sh pango
	@touch $(VENV)/.running $@

$(VENV)/.documenting: requirements-docs.txt $(SETUP)
	@tools/setup.sh environment $(VENV) requirements-docs.txt
	@touch $@

# --- now and then -------------------------------------------------------------------

LOCK := pip compile pyproject.toml --quiet --universal --generate-hashes --python-version 3.11 \
    --fork-strategy fewest --no-annotate --no-emit-index-url --custom-compile-command "make lock"

# One version of each package for all Pythons and platforms, with its hashes; UPGRADE=--upgrade takes newer ones.
lock: $(VENV)/.developing
	$(BIN)/uv $(LOCK) $(UPGRADE) --group build -o requirements.txt
	$(BIN)/uv $(LOCK) $(UPGRADE) --group dev -c requirements.txt -o requirements-dev.txt
	$(BIN)/uv $(LOCK) $(UPGRADE) --group docs -c requirements-dev.txt -o requirements-docs.txt

bench: $(VENV)/.developing
	$(BIN)/python benchmarks/start.py
	$(BIN)/python benchmarks/call.py
	$(BIN)/python benchmarks/stages.py --first
	$(BIN)/python benchmarks/execution.py
	$(BIN)/python benchmarks/cluster.py
	$(BIN)/python benchmarks/resume.py
	$(BIN)/python benchmarks/warehouse.py
	$(BIN)/python benchmarks/logs.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/cost.py
	$(BIN)/python benchmarks/tuning.py
	$(BIN)/python benchmarks/consensus.py
	$(BIN)/python benchmarks/archetypal_analysis.py
	$(BIN)/python benchmarks/sequential.py
	$(BIN)/python benchmarks/psychoanalysis.py
	$(BIN)/python benchmarks/peers.py

# The site of docs/, in site/. A warning, a dead link, a missing anchor or a request to elsewhere is an error.
ELSEWHERE := <(script|link|img|iframe)[^>]*(src|href)="(https?:)?//[^"]*|@import|url\("?(https?:)?//
docs: $(VENV)/.documenting
	$(BIN)/python -m sphinx -W --keep-going -E -q -d build/doctrees -b html docs site
	@! grep -rnoE '$(ELSEWHERE)' site --include='*.html' --include='*.css'

# What the documents show of real runs: results.json, and pages as Chromium shows them.
example: $(VENV)/.developing
	$(BIN)/python tools/gallery.py

# What users install, in clean environments: needs the network and some minutes.
test-installation: $(VENV)/.developing
	$(BIN)/python tools/check_installation.py

# The licences of requirements.txt, in docs/licences.md.
licences: $(VENV)/.developing
	$(BIN)/python tools/licences.py

# The lists of methods, targets and columns in the schema of results.json, from the program.
results-schema: $(VENV)/.developing
	$(BIN)/python tools/results_schema.py

wheel: $(VENV)/.developing
	$(BIN)/python -m build --no-isolation

# What the packages of requirements.txt are, for those who look through what they install (CycloneDX).
sbom: $(VENV)/.developing
	$(BIN)/uv tool run --from cyclonedx-bom==7.5.0 cyclonedx-py requirements requirements.txt \
	    --pyproject pyproject.toml --output-reproducible -o dist/sbom.cdx.json

# What was measured (output/) stays.
clean:
	rm -rf $(VENV) build dist site .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis htmlcov .coverage
	find . -name __pycache__ -prune -exec rm -rf {} +
