"""Options that no run can be made with: each ends in one line that names the option."""

from __future__ import annotations

import pytest

from pytest_gitgoodbench.cli import main
from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.settings import OPTIONS, settings_from
from tests.integration.test_environment import only_line

WRONG = {
    "judge_threshold": ["-0.1", "1.1", "nan", "inf", "x", ""],
    "min_solve_rate": ["-1", "2", "nan", "50%"],
    "judge_votes": ["0", "-1", "1.5", "1001", "x"],
    "limit": ["0", "-3", "1e3", "9" * 30, "9" * 5000, "x", ""],
    "trials": ["0", "-1", "1001", "9" * 30, "two"],
    "timeout": ["0", "-1", "nan", "inf", "1e300", "10s"],
    "max_turns": ["0", "-1", "2.5", "9" * 30],
    "max_cost": ["0", "-1", "nan", "inf", "$5"],
    "shard": ["0/2", "3/2", "1", "/", "1/0", "-1/2", "a/b", "1/2/3", "1/" + "9" * 30],
    "repo_url": ["https://example.invalid/x.git", ""],
    "cache_dir": ["~nobody-of-that-name/x", ""],
    "out": [""],
    "resume": [""],
    "repo_root": [""],
    "protocol": ["STRICT", "lenient", ""],
    "tools": ["all"],
    "agent_protocol": ["xml"],
    "sandbox": ["docker"],
    "scenario": ["merge,cherry-pick"],
    "language": ["cobol"],
    "difficulty": ["brutal"],
    "repo": ["no/where"],
}


# What may be chosen depends on the dataset.
MANY = ("scenario", "language", "difficulty", "repo")


@pytest.mark.parametrize("name", [name for name in WRONG if name not in MANY])
def test_an_option_out_of_range(name):
    """In this process; what pytest makes of it is shown below."""
    option = next(option for option in OPTIONS if option.name == name)
    for value in WRONG[name]:
        with pytest.raises(UserError) as caught:
            settings_from({name: (value, option.flag)})
        message = str(caught.value)
        assert message.startswith(f"{option.flag}: ")
        assert message.isprintable()


@pytest.mark.parametrize(
    "name", ["judge_threshold", "trials", "timeout", "shard", "cache_dir", "sandbox", *MANY]
)
def test_an_option_out_of_range_ends_pytest_in_one_line(ggb, name):
    option = next(option for option in OPTIONS if option.name == name)
    line = only_line(ggb("--ggb-agent=nop", f"{option.flag}={WRONG[name][0]}"))
    assert line.startswith(f"ERROR: {option.flag}: ")


@pytest.mark.parametrize("days", ["-1", "nan", "inf", "1e400", "x", ""])
def test_pruning_by_an_age_that_is_none_takes_nothing_out(tmp_path, capsys, days):
    main(["cache", f"--cache-dir={tmp_path}"])
    kept = tmp_path / "repos" / "a+b"
    kept.mkdir()
    with pytest.raises(SystemExit) as ended:
        main(["cache", "prune", f"--cache-dir={tmp_path}", f"--older-than={days}"])
    assert ended.value.code == 2
    assert f"{days!r} is not a number of days" in capsys.readouterr().err
    assert kept.is_dir()


@pytest.mark.parametrize("value", ["0", "x", "-5"])
def test_an_option_out_of_range_in_the_ini_file(ggb, pytester, value):
    (pytester.path / "pytest.ini").write_text(f"[pytest]\nggb_limit = {value}\n")
    assert only_line(ggb("--ggb-agent=nop")).startswith("ERROR: ggb_limit (ini file): ")


def test_the_largest_values_that_are_allowed(ggb):
    largest = (
        "--ggb-timeout=1e9",
        "--ggb-max-turns=1000000000",
        "--ggb-max-cost=1e9",
        "--ggb-shard=1/1000000000",
    )
    run = ggb("--ggb-limit=2", "--ggb-scenario=merge", "--ggb-agent=cmd:git status", *largest)
    assert set(run.outcomes.values()) == {"failed"}, run.text
