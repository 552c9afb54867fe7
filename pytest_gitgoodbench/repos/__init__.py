"""Repositories: the cache of upstream repositories, workspaces made from it, and reading them back."""
