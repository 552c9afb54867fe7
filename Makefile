# The usual entry points; .ci/run does all of it in a new virtual environment.
.PHONY: test lint bench demo

test:
	pytest -n 2

lint:
	ruff check .
	ruff format --check .
	mypy

bench:
	python benchmarks/workspaces.py
	python benchmarks/collection.py

demo:
	pytest --ggb-agent=oracle --ggb-judge-threshold=0.5 -n 2
