"""Fuzzing: few examples, always the same ones, so that a failure is about the change and not about luck.

To look for longer: `pytest tests/fuzz --hypothesis-profile=long`.
"""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "long",
    max_examples=400,
    derandomize=False,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=tuple(Phase),
)
