"""What the fuzz tests have in common: how much they try, and bytes that are nearly right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st


def bounded(examples: int) -> Callable[[Any], Any]:
    """Settings of a fuzz test: so many examples, always the same, unless a profile asks for more."""
    if settings.get_current_profile_name() == "long":
        return settings.get_profile("long")
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        # A busy machine is no finding, and a repository made once does for all examples.
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.function_scoped_fixture,
        ],
    )


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """The content with a few places replaced, taken out or doubled, or cut short."""
    found = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(found)))
        end = min(len(found), start + draw(st.integers(0, 40)))
        how = draw(st.sampled_from(["replace", "take out", "double", "cut", "flip"]))
        if how == "replace":
            found[start:end] = draw(st.binary(max_size=40))
        elif how == "take out":
            del found[start:end]
        elif how == "double":
            found[start:start] = found[start:end]
        elif how == "cut":
            del found[start:]
        elif found:
            found[start % len(found)] ^= 1 << draw(st.integers(0, 7))
    return bytes(found)
