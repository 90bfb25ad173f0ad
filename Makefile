# The commands of this project. Each sets up what it needs; `make help` lists them.

STACK ?= sandbox
OUT ?= build/$(STACK)
PYTHON ?= python3

VENV := .venv
RUN := $(VENV)/bin/python
PINS := requirements.txt requirements-dev.txt
AUDIT := build/audit
# One stamp for each content of the pins: a change of a pin installs again.
STAMP := $(VENV)/set-up-$(shell cat $(PINS) | cksum | tr ' ' '-')
# Each file of tests in one process, in the order of tests/conftest.py.
FILES := --dist loadfile --no-loadscope-reorder
# Modules are compiled when first imported, not in each of the many processes.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup tools cluster-tools up preview down status render
.PHONY: test test-cluster test-control-plane test-stories lab audit check hazards
.PHONY: reference updates bench clean

help: ## Show this list
	@echo "make TARGET [STACK=$(STACK)] [OUT=$(OUT)]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' Makefile

setup: $(STAMP) ## Install the pinned packages into .venv

$(STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "error: Python 3.11 or newer is needed, $(PYTHON) is" \
			"$$($(PYTHON) --version 2>&1): try make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
		echo "error: $(PYTHON) cannot make virtual environments: install its venv" \
			"package (Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }
	@echo "Installing the pinned packages into $(VENV), about a minute."
	@$(VENV)/bin/python -c '' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@# First pip itself: that of an older Python takes twice the time for the rest.
	@$(RUN) -m pip install --quiet --disable-pip-version-check \
		$$(grep '^pip==' requirements-dev.txt)
	@# A fifth of all modules is ever imported, and compiled by Python then.
	@$(RUN) -m pip install --quiet --disable-pip-version-check \
		--no-compile -r requirements-dev.txt
	@rm -f $(VENV)/set-up-* && touch $@

tools: $(STAMP) ## Print the paths of the Pulumi CLI and its host, built if missing
	@$(RUN) -m sandbox tools

cluster-tools: $(STAMP) ## The same with a real Kubernetes control plane: about 35 minutes, once
	@$(RUN) -m sandbox tools --cluster

up preview down: $(STAMP)
	@$(RUN) -m sandbox $@ --stack $(STACK)

up: ## Deploy a stack file into the local AWS, with the real Pulumi engine
preview: ## Show what `make up` would change
down: ## Remove what `make up` deployed

status: $(STAMP) ## Show what is deployed, and where to look
	@$(RUN) -m sandbox status

render: $(STAMP) ## Write user data, manifests and a summary of a stack to OUT
	@$(RUN) -m infra.render --stack $(STACK) --out $(OUT)

test: tools ## Run all tests but those of `make test-cluster`
	$(RUN) -m pytest $(FILES) -n 3 \
		--ignore tests/cluster --ignore tests/engine/long

# Those on a control plane measure seconds, so the stories of the engine come after.
test-cluster: test-control-plane test-stories ## Run the tests on a real control plane, and the long ones

# With GOGC, programs in Go look for garbage less often: a sixth of their time.
test-control-plane: cluster-tools ## Of these, run those on a control plane alone
	GOGC=400 $(RUN) -m pytest $(FILES) -n 4 --durations 5 tests/cluster

test-stories: cluster-tools ## Of these, run the stories of the engine alone
	GOGC=400 $(RUN) -m pytest $(FILES) -n 4 --durations 5 tests/engine/long

check: $(STAMP) ## Check style, types, imports and links
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m ty check --exclude 'tests/**' # these pass wrong types on purpose
	$(RUN) -m pytest -q tests/test_architecture.py tests/test_documents.py
	@$(RUN) scripts/hazards.py >/dev/null

hazards: $(STAMP) ## Print what proves each row of docs/hazards.md
	@$(RUN) scripts/hazards.py

reference: $(STAMP) ## Write docs/reference.md: every key of a stack file
	@$(RUN) -m scripts.reference

updates: $(STAMP) ## Write docs/updates.md: what a change of each key does
	@$(RUN) -m pytest -q --update-golden tests/engine/long/test_update_safety.py

# What of the lab was said; what was not is for the lab to know.
LAB := TRACE PRICES SCENARIOS FAULTS BALLOONS SPEED HOURS JOBS SEED NODES PODS
LAB_OPTIONS = $(foreach name,$(LAB),$(if $($(name)),\
	--$(shell echo $(name) | tr A-Z a-z) '$($(name))'))

lab: $(STAMP) ## Replay jobs on a real scheduler and Karpenter (TRACE, SCENARIOS, SPEED ...)
	@$(RUN) -m lab run $(LAB_OPTIONS) \
		--stack $(if $(filter file,$(origin STACK)),prod,$(STACK)) \
		--out $(if $(filter file,$(origin OUT)),build/lab,$(OUT))

audit: $(STAMP) ## Ask PyPI about known faults of what is installed; needs its JSON API
	@test -x $(AUDIT)/bin/pip-audit || $(PYTHON) -m venv $(AUDIT)
	@$(AUDIT)/bin/python -m pip install --quiet --disable-pip-version-check \
		-r requirements-audit.txt
	@# --strict: a package that nobody could tell about is no good news.
	$(AUDIT)/bin/pip-audit --strict --path $(VENV)/lib/python3.*/site-packages

bench: $(STAMP) ## Compare a run of the program with the import of its SDKs
	@$(RUN) scripts/bench.py

clean: ## Remove what `make` made here; the built tools stay in the user's cache
	rm -rf .sandbox build $(VENV) .pytest_cache .ruff_cache .hypothesis
