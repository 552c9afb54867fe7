"""Which scenarios a run consists of: filters, stable limits, whole repositories in a shard, and the plan's file."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from pytest_gitgoodbench.dataset.sample import DIFFICULTIES, LANGUAGES, Chain, Merge, Sample
from pytest_gitgoodbench.dataset.tasks import Task, read_tasks, select, write_tasks
from pytest_gitgoodbench.errors import UserError
from pytest_gitgoodbench.settings import Settings

SCENARIOS = {"merge": ("merge",), "file_commit_chain": ("rebase", "commit")}
A, B, C = "a" * 40, "b" * 40, "c" * 40


def sample(number: int, kind: str, language: str, difficulty: str, name: str) -> Sample:
    detail = Merge(A, (B, C), ("é.py",), 1) if kind == "merge" else Chain("f.py", 2, A, B)
    return Sample(f"{kind}_{number}", name, language, difficulty, detail, {"topics": "a;b", "stars": 3})


def samples(languages: tuple[str, ...] = LANGUAGES, count: int = 4) -> list[Sample]:
    kinds = [
        (kind, language, difficulty)
        for kind in SCENARIOS
        for language in languages
        for difficulty in DIFFICULTIES
        for _ in range(count)
    ]
    return [
        sample(number, kind, language, difficulty, f"Owner/{language}-{number % 5}")
        for number, (kind, language, difficulty) in enumerate(kinds)
    ]


def keys(rows: list[Sample], **options: object) -> list[str]:
    return [task.key for task in select(rows, SCENARIOS, Settings(**options))]  # type: ignore[arg-type]


def test_a_merge_gives_one_scenario_and_a_chain_two_in_order() -> None:
    rows = samples()
    tasks = select(rows, SCENARIOS, Settings())
    assert [task.scenario for task in tasks] == ["merge"] * 36 + ["rebase"] * 36 + ["commit"] * 36
    assert [task.sample for task in tasks] == rows[:36] + rows[36:] + rows[36:]
    assert len({task.key for task in tasks}) == len(tasks)


def test_filters_combine_and_ignore_case() -> None:
    tasks = select(
        samples(),
        SCENARIOS,
        Settings(
            scenario=("Rebase",), language=("KOTLIN",), difficulty=("easy", "hard"), repo=("owner/kotlin-1",)
        ),
    )
    assert tasks
    for task in tasks:
        assert task.scenario == "rebase"
        assert (task.sample.language, task.sample.name) == ("kotlin", "Owner/kotlin-1")
        assert task.sample.difficulty in ("easy", "hard")


@pytest.mark.parametrize(
    ("option", "exists"),
    [("scenario", "commit"), ("language", "java"), ("difficulty", "hard"), ("repo", "owner/")],
)
def test_an_unknown_name_is_refused_with_those_that_exist(option: str, exists: str) -> None:
    with pytest.raises(UserError, match=rf"--ggb-{option}: there is no 'cobol' \(there are .*{exists}"):
        keys(samples(), **{option: ("cobol",)})


def test_a_limit_is_a_prefix_of_the_next() -> None:
    rows = samples()
    chosen = [set(keys(rows, limit=limit)) for limit in range(1, 110)]
    assert [len(part) for part in chosen] == [*range(1, 109), 108]
    assert all(small < large for small, large in pairwise(chosen[:108]))


def test_a_limit_is_balanced_over_all_strata() -> None:
    tasks = select(samples(), SCENARIOS, Settings(limit=54))
    strata = [(task.scenario, task.sample.language, task.sample.difficulty) for task in tasks]
    assert {strata.count(stratum) for stratum in set(strata)} == {2}
    nine = select(samples(), SCENARIOS, Settings(limit=9))
    assert {task.sample.difficulty for task in nine} == set(DIFFICULTIES)
    assert len({(task.scenario, task.sample.language) for task in nine}) == 9


def test_a_limit_does_not_depend_on_order_or_unrelated_rows() -> None:
    rows = samples(("python", "kotlin"))
    shuffled = random.Random(1).sample(rows, len(rows))
    assert set(keys(rows, limit=7)) == set(keys(shuffled, limit=7))
    # Java comes on top, and the order among the others stays as it was.
    more = [replace(row, id=f"more_{row.id}") for row in samples(("java",))]
    assert [key for key in in_order(more + rows) if "[java-" not in key] == in_order(rows)


def in_order(rows: list[Sample]) -> list[str]:
    """All scenarios in the order in which a growing limit takes them."""
    steps = [keys(rows, limit=limit) for limit in range(1, len(keys(rows)) + 1)]
    return list(dict.fromkeys(key for step in steps for key in step))


def test_shards_are_disjoint_complete_balanced_and_never_split_a_repository() -> None:
    rows = samples()
    parts = [select(rows, SCENARIOS, Settings(shard=(index, 4))) for index in range(1, 5)]
    assert sorted(task.key for part in parts for task in part) == sorted(keys(rows))
    repositories = [{task.sample.name for task in part} for part in parts]
    assert sum(map(len, repositories)) == len({row.name for row in rows})
    assert max(map(len, parts)) - min(map(len, parts)) <= 8  # one repository's scenarios


def test_more_shards_than_repositories_leaves_some_empty() -> None:
    rows = samples(("python",))
    sizes = [len(keys(rows, shard=(index, 9))) for index in range(1, 10)]
    assert sum(sizes) == len(keys(rows))
    assert sizes.count(0) == 4


def test_trials_are_neighbours_with_ids_of_their_own() -> None:
    tasks = select([sample(1, "merge", "java", "easy", "a/b")], SCENARIOS, Settings(trials=3, limit=1))
    assert [task.id for task in tasks] == [
        "java-easy-merge_1",
        "java-easy-merge_1-trial2",
        "java-easy-merge_1-trial3",
    ]


def test_the_plan_survives_its_file_and_holds_each_sample_once(tmp_path: Path) -> None:
    tasks = select(samples(), SCENARIOS, Settings(trials=2))
    file = tmp_path / "tasks"
    write_tasks(file, tasks)
    found = read_tasks(file)
    assert found == tasks
    assert len({id(task.sample) for task in found}) == 72
    assert [entry.name for entry in tmp_path.iterdir()] == ["tasks"]


def test_an_empty_plan_and_text_of_any_kind(tmp_path: Path) -> None:
    file = tmp_path / "tasks"
    write_tasks(file, ())
    assert read_tasks(file) == ()
    odd = Task(
        Sample("x", "a/b", "java", "easy", Chain("a\u2028b\x85c", 1, A, A, purity=0.5), {"x": [1, None]}),
        "commit",
    )
    write_tasks(file, [odd])
    assert read_tasks(file) == (odd,)
