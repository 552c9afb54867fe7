"""Judging: which of two histories is better. A rubric, LLMs, panels of them."""
