"""git itself: running it hermetically, and reading what it prints. Knows nothing of the benchmark."""

from pytest_gitgoodbench.git.run import Git, environment, fixed_dates, path_text, text

__all__ = ["Git", "environment", "fixed_dates", "path_text", "text"]
