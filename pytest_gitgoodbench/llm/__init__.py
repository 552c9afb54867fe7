"""Talking to LLMs through litellm: one request a try, our own retries, cost. Used by agents and judges."""
