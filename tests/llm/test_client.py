"""Asking a model over real HTTP: one request a try, passing faults tried again, hopeless ones not."""

from __future__ import annotations

import email.utils
import os
import subprocess
import sys
import time

import pytest

from pytest_gitgoodbench.errors import ModelUnavailable, UserError
from pytest_gitgoodbench.llm import client
from pytest_gitgoodbench.llm.client import ContextTooLong, Model, OutOfTime, RequestRefused, check, complete
from tests.support.openai_server import Answer, call, serve

ASK = [{"role": "user", "content": "hello"}]
NOW = {"retry-after": "0"}


def test_an_answer_has_text_tokens_and_no_invented_price():
    with serve(Answer("hi")) as server:
        reply = complete(server.model(), ASK, params={"temperature": 0})
    assert (reply.content, reply.finish_reason, reply.tries) == ("hi", "stop", 1)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.cost) == (10, 5, None)
    assert server.requests[0]["temperature"] == 0
    assert reply.sent == {"temperature": 0}


def test_a_price_of_ones_own_counts():
    with serve(Answer("hi")) as server:
        reply = complete(server.model(input_cost_per_token=0.5, output_cost_per_token=2.0), ASK)
    assert reply.usage.cost == 15.0


def test_tool_calls_come_back_as_they_were_made():
    with serve(call("show", path="a")) as server:
        reply = complete(server.model(), ASK)
    assert reply.tool_calls[0]["function"] == {"name": "show", "arguments": '{"path": "a"}'}
    assert reply.content == ""


@pytest.mark.parametrize(
    "fault",
    [
        Answer(status=429, headers=NOW),
        Answer(status=500, headers=NOW),
        Answer(status=503, headers=NOW),
        Answer(status=529, headers=NOW),
        Answer(drop=True),
        Answer(html="<html>a proxy speaks</html>"),
    ],
    ids=["429", "500", "503", "529", "dropped", "html"],
)
def test_a_passing_fault_is_tried_again_with_one_request_a_try(fault):
    told = []
    with serve(fault, Answer("hi")) as server:
        reply = complete(server.model(), ASK, on_retry=lambda said, wait: told.append(said))
    assert (reply.content, reply.tries, len(server.requests), len(told)) == ("hi", 2, 2, 1)


@pytest.mark.parametrize(("status", "error"), [(401, ModelUnavailable), (403, ModelUnavailable),
                                               (404, ModelUnavailable), (400, RequestRefused),
                                               (422, RequestRefused)])  # fmt: skip
def test_a_hopeless_fault_is_not_repeated(status, error):
    with serve(Answer(status=status)) as server, pytest.raises(error):
        complete(server.model(), ASK)
    assert len(server.requests) == 1


def test_what_stays_broken_is_given_up():
    with serve(Answer(status=500, headers=NOW)) as server, pytest.raises(ModelUnavailable, match="6 tries"):
        complete(server.model(), ASK)
    assert len(server.requests) == client.MOST_TRIES


IN_AN_HOUR = email.utils.formatdate(time.time() + 3600, usegmt=True)


# The ids are written out: with the date in one, xdist's workers would collect different tests.
@pytest.mark.parametrize("later", ["3600", IN_AN_HOUR], ids=["seconds", "date"])
def test_a_wait_past_the_deadline_is_not_begun(later):
    fault = Answer(status=429, headers={"retry-after": later})
    with serve(fault) as server, pytest.raises(OutOfTime):
        complete(server.model(), ASK, remaining=lambda: 60.0)
    assert len(server.requests) == 1


def test_a_retry_after_that_is_no_time_is_passed_over():
    with serve(Answer(status=429, headers={"retry-after": "soon"}), Answer("hi")) as server:
        assert complete(server.model(), ASK).tries == 2


def test_a_slow_answer_ends_with_the_time():
    end = time.monotonic() + 1
    with serve(Answer("late", slow=60)) as server, pytest.raises(OutOfTime):
        complete(server.model(), ASK, remaining=lambda: max(0.0, end - time.monotonic()))


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 4096 tokens",
        "the request exceeds the available context size. try increasing the context size",
    ],
)
def test_a_request_that_is_too_long_is_told_from_others(said):
    with serve(Answer(status=400, error=said)) as server, pytest.raises(ContextTooLong):
        complete(server.model(), ASK)


def test_a_key_in_an_error_is_hidden(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret-value-1")
    fault = Answer(status=401, error="wrong key very-secret-value-1 or sk-abcdefghijklmnop1234")
    with serve(fault) as server, pytest.raises(ModelUnavailable) as caught:
        complete(server.model(), ASK)
    assert "very-secret" not in str(caught.value)
    assert "abcdefghij" not in str(caught.value)


@pytest.mark.parametrize("padding", range(200, 300, 8))
def test_a_key_at_the_end_of_a_shortened_error_is_hidden(padding, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "plainsecretvalue0123456789")
    fault = Answer(status=401, error="." * padding + " plainsecretvalue0123456789")
    with serve(fault) as server, pytest.raises(ModelUnavailable) as caught:
        complete(server.model(), ASK)
    assert "plains" not in str(caught.value)


def test_a_key_of_the_models_own_is_sent_and_hidden():
    fault = Answer(status=401, error="wrong key my-own-table-key-1")
    with serve(fault) as server, pytest.raises(ModelUnavailable, match="wrong key") as caught:
        complete(server.model(params={"api_key": "my-own-table-key-1"}), ASK)
    assert server.headers[0]["authorization"] == "Bearer my-own-table-key-1"
    assert "my-own" not in str(caught.value)


def test_an_endpoint_of_ones_own_needs_no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with serve(Answer("hi")) as server:
        check(server.model())
        assert complete(server.model(), ASK).content == "hi"
    assert server.headers[0]["authorization"] == "Bearer none"


@pytest.mark.parametrize("text", [None, "", "cut o"])
def test_an_empty_or_cut_answer_is_an_answer(text):
    with serve(Answer(text, finish_reason="length")) as server:
        reply = complete(server.model(), ASK)
    assert (reply.content, reply.finish_reason, len(server.requests)) == (text or "", "length", 1)


def test_the_server_says_how_long_to_wait():
    told = []
    with serve(Answer(status=429, headers={"retry-after": "0.3"}), Answer("hi")) as server:
        complete(server.model(), ASK, on_retry=lambda said, wait: told.append(wait))
    assert told == [0.3]


def test_an_unknown_provider_is_refused_in_one_line():
    with pytest.raises(UserError, match="nosuch/model") as caught:
        check(Model("nosuch/model"))
    assert "\n" not in str(caught.value)


def test_a_missing_key_is_named(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        check(Model("openai/gpt-4o"))


def test_importing_the_client_does_not_import_litellm():
    code = (
        "import sys, pytest_gitgoodbench.agents.llm, pytest_gitgoodbench.agents.resolve; "
        "sys.exit('litellm' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], env=dict(os.environ)).returncode == 0
