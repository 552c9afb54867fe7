"""Whether a judge is the model it judges."""

from __future__ import annotations

import pytest

from pytest_gitgoodbench.judging.same_model import same_model
from pytest_gitgoodbench.llm.client import Model


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gpt-4o", "openai/gpt-4o"),
        ("openrouter/openai/gpt-4o-2024-08-06", "azure/gpt-4o"),
        ("anthropic/claude-3-haiku-20240307", "bedrock/us.anthropic.claude-3-haiku-20240307-v1:0"),
        ("vertex_ai/claude-sonnet-4@20250514", "Claude-Sonnet-4"),
        ("openrouter/qwen/qwen3-32b:free", "hosted_vllm/Qwen/Qwen3-32B"),
        ("ollama/llama3:latest", "ollama_chat/llama3"),
        ("gpt-4-0613", "gpt-4"),
    ],
)
def test_one_model_under_two_names(one, other):
    assert same_model(Model(one), Model(other))
    assert same_model(Model(other), Model(one, api_base="http://localhost:1/"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gpt-4o", "gpt-4o-mini"),
        ("gpt-5", "gpt-4o"),
        ("gemini/gemini-2.5-pro", "gemini/gemini-2.5-flash"),
        ("ollama/gemma3:270m", "ollama/gemma3:27b"),
        ("anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4"),
        ("openai/local", "openai/other"),
    ],
)
def test_two_models(one, other):
    assert not same_model(Model(one), Model(other))


def test_the_same_name_at_two_endpoints_is_two_models():
    here = Model("openai/local", api_base="http://localhost:1/v1")
    assert not same_model(here, Model("openai/local", api_base="http://localhost:2/v1"))
    assert same_model(here, Model("openai/local", api_base="http://localhost:1/v1/"))
