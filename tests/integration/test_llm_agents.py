"""LLM and command-line agents through pytest, over real HTTP to a scripted server on loopback."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.openai_server import Answer, ScriptedServer, call, serve


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with serve(Answer("Hello.")) as running:
        yield running


@pytest.fixture
def model(pytester: pytest.Pytester, server: ScriptedServer):
    """Register `mymodel`, an LLM at the server, with further settings."""

    def register(**settings: object) -> None:
        table = {"model": "openai/scripted", "api_base": server.url, **settings}
        pytester.makeconftest(
            f"def pytest_gitgoodbench_agents(config):\n    return {{'mymodel': {table!r}}}\n"
        )

    return register


def fault(status: int) -> Answer:
    return Answer(status=status, headers={"retry-after": "0"})


def answers(body: dict) -> list[str]:
    """What the tools answered so far."""
    return [entry["content"] for entry in body["messages"] if entry["role"] == "tool"]


RUBRIC = ("--ggb-agent=mymodel", "--ggb-judge=rubric", "--ggb-judge-threshold=0")
CHAIN = ("--ggb-scenario=commit", "--ggb-limit=1")


def test_a_commit_scenario_by_tools(ggb, model, server):
    model()
    steps = [
        call("list_hunks"),
        call("commit_hunks", ids=[1], message="Start"),
        call("commit_rest", message="Rest"),
    ]
    server.respond = lambda body: steps[len(answers(body))]
    run = ggb(*RUBRIC, *CHAIN)
    assert run.result.ret == 0, run.text
    (record,) = run.records
    assert record["outcome"] == "solved"
    assert len(record["log"]) == 2
    assert record["agent_notes"]["stop_reason"] == "finished"
    assert record["agent_notes"]["turns"] == 3
    assert record["agent_notes"]["prompt_tokens"] == 30
    transcript = (run.out / "transcripts" / record["transcript"]).read_text("utf-8")
    roles = [json.loads(line)["role"] for line in transcript.splitlines()]
    assert roles[:4] == ["system", "user", "assistant", "tool"]


def test_a_rebase_scenario_by_tools(ggb, model, server):
    model()

    def answer(body: dict) -> Answer:
        return [call("show_commits"), call("finish")][len(answers(body))]

    server.respond = answer
    run = ggb(*RUBRIC, "--ggb-scenario=rebase", "--ggb-limit=1")
    (record,) = run.records
    assert record["outcome"] == "solved", run.text
    assert record["judge_note"]


def test_a_merge_scenario_by_tools(ggb, model, server):
    """`ours` for every conflict is what the maintainers did in one of the demo's merges."""
    model()

    def answer(body: dict) -> Answer:
        done = answers(body)
        steps = [
            call("bash", command="git checkout --ours . && git add -A && git commit -q --no-edit"),
            call("finish_merge"),
        ]
        return steps[min(len(done), 1)]

    server.respond = answer
    run = ggb(*RUBRIC, "--ggb-scenario=merge", "--ggb-tools=both", "-k", "greenhouse_merge_0000")
    (record,) = run.records
    assert record["outcome"] == "solved", run.text


def test_by_the_json_protocol_and_by_bash(ggb, model, server):
    model(protocol="json")
    steps = [
        {"tool": "bash", "arguments": {"command": "git commit -q -m Everything"}},
        {"tool": "finish", "arguments": {}},
    ]
    server.respond = lambda body: Answer(json.dumps(steps[len(body["messages"]) // 2 - 1]))
    run = ggb(*RUBRIC, *CHAIN, "--ggb-tools=bash")
    (record,) = run.records
    assert record["outcome"] == "solved", run.text
    assert record["log"] == ["Everything\n"]
    assert "response_format" in server.requests[0]


def test_wrong_calls_are_answered_and_endless_loops_end(ggb, model, server):
    model()
    wrong = [
        call("nosuch"),
        call("show_hunks", ids="x"),
        call("show_hunks", ids=[9999]),
        Answer(calls=[("list_hunks", "{")]),
    ]
    server.respond = lambda body: wrong[len(answers(body)) % 4]
    run = ggb(*RUBRIC, *CHAIN, "--ggb-max-turns=5")
    (record,) = run.records
    assert record["outcome"] == "unsolved"
    assert record["agent_notes"]["stop_reason"] == "max-turns"
    assert record["agent_notes"]["turns"] == 5
    said = answers(server.requests[-1])
    assert all(answer.startswith("Error: ") for answer in said)
    assert len(server.requests) == 5


def test_answers_without_a_call_end(ggb, model, server):
    model()
    run = ggb(*RUBRIC, *CHAIN)
    (record,) = run.records
    assert record["agent_notes"]["stop_reason"] == "no-tool-call"


def test_a_passing_fault_is_tried_again_and_a_lasting_one_is_an_error(ggb, model, server):
    model()
    steps = [call("commit_rest", message="All")]
    server.respond = lambda body: steps[0]
    server.faults = [fault(429), fault(500)]
    run = ggb(*RUBRIC, *CHAIN)
    assert run.records[0]["outcome"] == "solved", run.text
    assert len(server.requests) == 3
    server.faults = [fault(500)] * 50
    run = ggb(*RUBRIC, *CHAIN)
    assert run.records[0]["outcome"] == "error"
    assert set(run.outcomes.values()) == {"error"}
    server.faults = [fault(401)]
    run = ggb(*RUBRIC, *CHAIN)
    assert run.records[0]["outcome"] == "error"


def test_an_unknown_model_stops_before_the_first_test(ggb):
    run = ggb("--ggb-agent=nosuch/model")
    assert run.result.ret == pytest.ExitCode.USAGE_ERROR
    assert "nosuch/model" in run.text
    assert "Traceback" not in run.text


def test_self_judged_is_said(ggb, model, server):
    model()

    def answer(body: dict) -> Answer:
        if body.get("tools"):
            return call("commit_rest", message="All")
        return Answer(json.dumps({"preferred": "HISTORY-1", "reason": "It is shown first."}))

    server.respond = answer
    run = ggb("--ggb-agent=mymodel", *CHAIN)
    (record,) = run.records
    assert record["outcome"] == "unsolved", run.text
    assert record["score"] == 0.5
    assert "self-judged" in run.text


# -- command lines ----------------------------------------------------------------------------------


def test_where_only_the_judge_failed_only_the_judge_is_asked_again(ggb, server, pytester):
    pytester.makepyprojecttoml(
        f"""
        [tool.gitgoodbench.judges.house]
        model = "openai/scripted"
        api_base = "{server.url}"
        """
    )
    pytester.makepyfile(
        agents="""
        import subprocess

        def one_commit(attempt):
            with open("acted", "a") as file:
                print(attempt.scenario, file=file)
            subprocess.run(["git", "commit", "-qm", "All of it"], cwd=attempt.workspace, check=True)
        """
    )
    options = ("--ggb-agent=agents:one_commit", "--ggb-judge=house", *CHAIN)
    server.answers = [Answer(status=401, error="wrong key")]
    broken = ggb(*options)
    assert set(broken.outcomes.values()) == {"error"}, broken.text
    (record,) = broken.records
    assert record["outcome"] == "error"
    assert record["strict"] is None
    assert record["histories"]["agent"][0]["message"].strip() == "All of it"
    server.answers = [Answer('{"preferred": "TIE", "reason": "alike"}')]
    resumed = ggb(*options, f"--ggb-resume={broken.out}", out=broken.out)
    assert set(resumed.outcomes.values()) == {"failed"}, resumed.text
    assert (resumed.records[-1]["score"], len(resumed.records)) == (0.5, 2)
    assert resumed.records[-1]["agent_notes"] == record["agent_notes"]
    assert pytester.path.joinpath("acted").read_text("utf-8") == "commit\n"


def test_a_command_solves(ggb):
    run = ggb("--ggb-agent=cmd:git commit -q -m Everything", *CHAIN, "--ggb-judge-threshold=0")
    (record,) = run.records
    assert record["outcome"] == "solved", run.text
    assert record["log"] == ["Everything\n"]


def test_a_command_that_hangs_with_grandchildren_is_ended_and_evaluated(ggb, pytester):
    script = pytester.path / "agent.sh"
    script.write_text("git commit -q -m Everything\n(setsid sleep 1234.5 &)\nsleep 1234.5 &\nwait\n")
    run = ggb(
        f"--ggb-agent=cmd:bash {script}", *CHAIN, "--ggb-judge-threshold=0", "--ggb-timeout=3", "--ggb-sandbox=none"
    )  # fmt: skip
    (record,) = run.records
    assert record["outcome"] == "solved", run.text
    assert record["agent_notes"]["timed_out"] is True
    assert b"sleep\0001234.5" not in b"".join(_command_lines())


def _command_lines() -> Iterator[bytes]:
    from pathlib import Path

    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield entry.read_bytes()
        except OSError:
            continue


def test_a_command_that_does_not_exist_is_a_usage_error(ggb):
    run = ggb("--ggb-agent=cmd:nosuchcommand --task {brief}")
    assert run.result.ret == pytest.ExitCode.USAGE_ERROR
    assert "nosuchcommand" in run.text


def test_an_agent_that_raises_is_unsolved_and_one_that_blames_infrastructure_an_error(ggb, pytester):
    pytester.makeconftest(
        """
        from pytest_gitgoodbench.agents import ModelUnavailable

        def broken(attempt):
            raise ValueError("my own mistake")

        async def down(attempt):
            raise ModelUnavailable("the API is down")

        def pytest_gitgoodbench_agents(config):
            return {"broken": broken, "down": down}
        """
    )
    run = ggb("--ggb-agent=broken", *CHAIN)
    assert Counter(record["outcome"] for record in run.records) == {"unsolved": 1}
    assert "my own mistake" in run.records[0]["traceback"]
    run = ggb("--ggb-agent=down", *CHAIN)
    assert Counter(record["outcome"] for record in run.records) == {"error": 1}
    assert set(run.outcomes.values()) == {"error"}
