"""pytest-gitgoodbench: run GitGoodBench, the benchmark of AI agents on git, as pytest tests."""
