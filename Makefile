# Every target does its own set-up; ARGS are passed on to the program that it runs.

PYTHON ?= python3
ARGS ?=
VENV := .venv/bin

.PHONY: help demo test check format bench docs picture lock clean

help:
	@echo 'make demo    what encrypting SQLite costs on this machine (3 minutes)'
	@echo 'make test    every check and every test'
	@echo 'make check   format, lint, types, layers and spelling only'
	@echo 'make format  rewrite the code in the common format'
	@echo 'make bench   the benchmarks of Ciphermark itself, one after another'
	@echo 'make docs    write the plan and command references anew'
	@echo 'make picture ARGS=DIR  the picture in the README from the result in DIR'
	@echo 'make lock    lock the newest releases of all packages'
	@echo 'make clean   remove the environment and all caches'

demo:
	@$(PYTHON) scripts/set_up.py core
	@$(VENV)/ciphermark run $(ARGS)

test:
	@$(PYTHON) scripts/set_up.py test
	@$(VENV)/python scripts/run_tests.py $(ARGS)

check:
	@$(PYTHON) scripts/set_up.py test
	@$(VENV)/python scripts/run_checks.py

format:
	@$(PYTHON) scripts/set_up.py test
	@$(VENV)/ruff format packages tests benchmarks scripts
	@$(VENV)/ruff check --fix packages tests benchmarks scripts

bench:
	@$(PYTHON) scripts/set_up.py test
	@$(VENV)/python scripts/run_benchmarks.py $(ARGS)

docs:
	@$(PYTHON) scripts/set_up.py test
	@$(VENV)/python scripts/write_references.py

picture:
	@$(PYTHON) scripts/set_up.py test
	@$(VENV)/python scripts/picture_of_report.py $(ARGS) docs/images/report.png

lock:
	@$(PYTHON) scripts/set_up.py test
	@$(VENV)/python scripts/lock.py $(ARGS)

clean:
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
