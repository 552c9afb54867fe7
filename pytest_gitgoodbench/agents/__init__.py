"""Agents: what is measured. Baselines, LLMs with tools, command lines, Python callables."""
