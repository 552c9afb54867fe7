"""The demo: its rows are what its repositories say, and its repositories are the same everywhere."""

from __future__ import annotations

import ast
import csv
import io
import shutil
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from pytest_gitgoodbench.dataset import demo
from pytest_gitgoodbench.dataset.demo import hunks, rows
from pytest_gitgoodbench.dataset.demo.edits import append, delete, edit, move, new, ours, theirs
from pytest_gitgoodbench.dataset.demo.story import Branch, Person, Story
from pytest_gitgoodbench.dataset.demo.stream import build
from pytest_gitgoodbench.dataset.sample import DIFFICULTIES, LANGUAGES, SAMPLE_TYPES
from pytest_gitgoodbench.git import Git


@dataclass(frozen=True)
class Row:
    """A committed row, with its scenario decoded."""

    id: str
    name: str
    language: str
    sample_type: str
    difficulty: str
    scenario: dict[str, Any]


def _rows() -> list[Row]:
    table = csv.DictReader(io.StringIO(demo.ROWS_FILE.read_text(encoding="utf-8")))
    return [
        Row(
            row["id"],
            row["name"],
            row["programming_language"],
            row["sample_type"],
            row["difficulty"],
            ast.literal_eval(row["scenario"]),
        )
        for row in table
    ]


ROWS = _rows()
MERGES = [row for row in ROWS if row.sample_type == "merge"]
CHAINS = [row for row in ROWS if row.sample_type == "file_commit_chain"]


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Git]:
    """The demo's repositories, by upstream name."""
    folder = tmp_path_factory.mktemp("demo")
    for name, builder in demo.builders().items():
        builder(folder / name)
    return {name: Git(git_dir=folder / name) for name in demo.builders()}


@pytest.fixture
def merging(request: pytest.FixtureRequest, repositories: dict[str, Git], tmp_path: Path) -> Git:
    """A work tree, of a copy of the repository, at the first parent of the row that the test is about."""
    row: Row = request.getfixturevalue("row")
    bare = repositories[row.name].git_dir
    assert bare is not None
    shutil.copytree(bare, tmp_path / "tree" / ".git")
    git = Git(git_dir=tmp_path / "tree" / ".git", work_tree=tmp_path / "tree")
    git("checkout", "--quiet", "--detach", row.scenario["parents"][0])
    return git


def test_the_committed_rows_are_what_the_stories_say() -> None:
    assert demo.ROWS_FILE.read_text(encoding="utf-8") == demo.rows_csv(), (
        "run `python -m pytest_gitgoodbench.dataset.demo`"
    )


def test_the_table_has_the_published_form() -> None:
    header, *lines = csv.reader(io.StringIO(demo.ROWS_FILE.read_text(encoding="utf-8")))
    assert header[0] == ""
    assert tuple(header[1:]) == rows.FIELDS
    assert [line[0] for line in lines] == [str(index) for index in range(len(lines))]
    assert len({row.id for row in ROWS}) == len(ROWS) >= 18
    assert ROWS[0].id == "gitgoodbench_demo_ledger_merge_0000"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sample_type", SAMPLE_TYPES)
def test_every_kind_comes_in_every_difficulty(language: str, sample_type: str) -> None:
    found = [row.difficulty for row in ROWS if (row.language, row.sample_type) == (language, sample_type)]
    assert set(found) == set(DIFFICULTIES)
    assert len(found) >= 3


@pytest.mark.parametrize("name", demo.builders())
def test_repositories_are_whole_packed_and_lifelike(name: str, repositories: dict[str, Git]) -> None:
    git = repositories[name]
    assert git("fsck", "--strict", "--full") == b""
    assert b"count: 0\n" in git("count-objects", "-v")
    assert git.line("symbolic-ref", "HEAD") in git("for-each-ref", "--format=%(refname)").decode()
    log = git("log", "--all", "--topo-order", "--reverse", "--format=%at %aI %ae %P").decode().splitlines()
    assert len(log) >= 20
    assert len({line.split()[2] for line in log}) >= 3
    assert all(line.split()[2].endswith(".invalid") for line in log)
    offsets = {line.split()[1][-6:] for line in log}
    assert len(offsets) == 1, "a fixed time zone"


@pytest.mark.parametrize("name", demo.builders())
def test_time_goes_forward(name: str, repositories: dict[str, Git]) -> None:
    git = repositories[name]
    when = dict(line.split() for line in git("log", "--all", "--format=%H %ct").decode().splitlines())
    for line in git("rev-list", "--all", "--parents").decode().splitlines():
        commit, *parents = line.split()
        assert all(int(when[parent]) < int(when[commit]) for parent in parents)


def test_hashes_do_not_depend_on_the_caller(
    repositories: dict[str, Git], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = tmp_path / "gitconfig"
    hostile.write_text(
        "[core]\n\tautocrlf = true\n[user]\n\tname = Somebody Else\n[i18n]\n\tcommitEncoding = latin1\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(hostile))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    for name, builder in demo.builders().items():
        builder(tmp_path / name)
        again = Git(git_dir=tmp_path / name)("for-each-ref")
        assert again == repositories[name]("for-each-ref")


@pytest.mark.parametrize("row", MERGES, ids=lambda row: row.id)
def test_merging_the_parents_conflicts_as_the_row_says(row: Row, merging: Git) -> None:
    scenario = row.scenario
    tree = merging.work_tree
    assert tree is not None
    assert merging.line("rev-parse", f"{scenario['merge_commit_hash']}^@").split() == scenario["parents"]
    assert merging.run("merge", "--no-commit", scenario["parents"][1]).returncode == 1
    status = merging("status", "--porcelain", "-z").decode().split("\0")
    unmerged = sorted(line[3:] for line in status if line[:2] in ("DD", "AU", "UD", "UA", "DU", "AA", "UU"))
    assert unmerged == scenario["files_in_merge_conflict"]
    assert len(unmerged) == scenario["number_of_files_with_merge_conflict"]
    marked = {file: (tree / file).read_bytes().count(b"<<<<<<< HEAD") for file in unmerged}
    assert sum(count or 1 for count in marked.values()) == scenario["total_number_of_merge_conflicts"]
    # The paper counts marked conflicts only; the difficulty must be the same by its count.
    files = [file for file, count in marked.items() if count]
    paper = "hard" if len(files) > 1 else "medium" if sum(marked.values()) > 1 else "easy"
    assert row.difficulty == paper
    assert {Path(file).suffix for file in unmerged} <= {".py", ".java", ".kt"}


def _solved_by(strategy: str, row: Row, merging: Git) -> bool:
    """Whether a merge that always takes one side, or the lines of both, gives what the maintainers did."""
    merging("checkout", "--quiet", "--force", row.scenario["parents"][0])
    git = merging
    if strategy == "union":
        assert merging.git_dir is not None
        attributes = merging.git_dir / "union"
        attributes.write_text("* merge=union\n")
        git = merging.with_config({"core.attributesFile": str(attributes)})
        done = git.run("merge", "--no-commit", row.scenario["parents"][1])
    else:
        done = git.run("merge", "--no-commit", "-X", strategy, row.scenario["parents"][1])
    if done.returncode:
        merging("merge", "--abort")
        return False
    same = git.run("diff", "--cached", "--quiet", row.scenario["merge_commit_hash"]).returncode == 0
    merging("merge", "--abort")
    return same


@pytest.mark.parametrize(
    ("row", "wins"),
    [
        (next(row for row in MERGES if row.id.endswith(end)), wins)
        for end, wins in (
            ("ledger_merge_0000", {"union"}),
            ("ledger_merge_0001", set()),
            ("parcels_merge_0000", {"theirs"}),
            ("parcels_merge_0002", set()),
            ("greenhouse_merge_0000", {"ours"}),
            ("greenhouse_merge_0001", {"union"}),
            ("greenhouse_merge_0003", set()),
        )
    ],
    ids=lambda value: value.id if isinstance(value, Row) else "",
)
def test_simple_strategies_win_here_and_there(row: Row, wins: set[str], merging: Git) -> None:
    assert {way for way in ("ours", "theirs", "union") if _solved_by(way, row, merging)} == wins


@pytest.mark.parametrize("row", CHAINS, ids=lambda row: row.id)
def test_chains_keep_the_paper_s_rules(row: Row, repositories: dict[str, Git]) -> None:
    git, chain = repositories[row.name], row.scenario
    length = chain["times_seen_consecutively"]
    assert 3 <= length <= 6
    walk = git("rev-list", "--first-parent", "--parents", f"-{length}", chain["newest_commit"]).decode()
    commits = [line.split() for line in walk.splitlines()]
    assert commits[-1][0] == chain["oldest_commit"]
    for commit, *parents in commits:
        assert len(parents) == 1
        touched = git("diff-tree", "-r", "--name-only", parents[0], commit).decode().splitlines()
        assert chain["file"] in touched
        assert {Path(path).suffix for path in touched} <= {".py", ".java", ".kt"}
    git("cat-file", "-e", f"{commits[-1][1]}:{chain['file']}")
    low, high = {"easy": (1, 1), "medium": (0.75, 0.99), "hard": (0.5, 0.74)}[row.difficulty]
    assert low <= chain["purity"] <= high


def test_purity_leaves_out_files_that_came_and_went(repositories: dict[str, Git]) -> None:
    row = next(row for row in CHAINS if row.scenario["branch"] == "origin/vouchers")
    git, newest = repositories[row.name], row.scenario["newest_commit"]
    span = git("diff", "--name-only", f"{row.scenario['oldest_commit']}^", newest).decode()
    steps = git("log", "--name-only", "--format=", f"{row.scenario['oldest_commit']}^..{newest}").decode()
    assert "Trace.java" in steps
    assert "Trace.java" not in span
    assert row.scenario["purity"] == round(22 / 24, 2)  # and not 22 / 46, with Trace.java's 11 + 11


@pytest.mark.parametrize("sample_type", SAMPLE_TYPES)
def test_some_samples_are_on_no_branch(sample_type: str, repositories: dict[str, Git]) -> None:
    lost = []
    for row in ROWS:
        tip = row.scenario.get("merge_commit_hash") or row.scenario["newest_commit"]
        git = repositories[row.name]
        assert git("for-each-ref", "--contains", tip), "no ref keeps the commit"
        if row.sample_type == sample_type and not git("branch", "--contains", tip):
            lost.append(row.id)
    assert lost


def test_messages_are_as_careless_as_in_life(repositories: dict[str, Git]) -> None:
    wip = repeated = 0
    for row in CHAINS:
        span = f"{row.scenario['oldest_commit']}^..{row.scenario['newest_commit']}"
        messages = repositories[row.name]("log", "--format=%s", span).decode().splitlines()
        wip += any(message.startswith("wip") for message in messages)
        repeated += max(Counter(messages).values()) > 1
    assert wip >= 3
    assert repeated >= 3


def test_odd_line_ends_are_among_the_conflicts(repositories: dict[str, Git]) -> None:
    open_last_lines = windows = 0
    for row in MERGES:
        git = repositories[row.name]
        for side in (row.scenario["merge_commit_hash"], *row.scenario["parents"]):
            for file in row.scenario["files_in_merge_conflict"]:
                content = git.run("cat-file", "blob", f"{side}:{file}").stdout
                assert content.count(b"\r\n") in (0, content.count(b"\n")), "mixed line ends"
                windows += b"\r\n" in content
                open_last_lines += bool(content) and not content.endswith(b"\n")
    assert windows == 3
    assert open_last_lines == 3


ANN = Person("Ann", "ann@example.invalid")
SOURCE = """
    one
    two
    three
    two
    """


@pytest.fixture
def story() -> Story:
    return Story(
        "gitgoodbench-demo/tiny",
        language="python",
        default_branch="main",
        created=datetime(2020, 1, 1, 9, tzinfo=timezone.utc),
        topics=(),
    )


@pytest.fixture
def main(story: Story) -> Branch:
    return story.start(ANN, "Start", new("a.py", SOURCE), new("b.py", SOURCE))


def test_hunks_are_applied_where_their_old_lines_stand() -> None:
    diff = """
         one
        -two
        +2
        @@
         two
        +
        +four
        """
    assert hunks.apply(hunks.block(SOURCE), diff) == "one\n2\nthree\ntwo\n\nfour\n"
    assert hunks.apply("one\r\ntwo\r\nthree\r\ntwo", diff) == "one\r\n2\r\nthree\r\ntwo\r\n\r\nfour\r\n"


@pytest.mark.parametrize(
    ("diff", "message"),
    [(" two\n+2", "2 times"), ("-five", "not in the file"), ("two", "starts with a blank")],
)
def test_hunks_that_do_not_fit_are_refused(diff: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hunks.apply(hunks.block(SOURCE), diff)


def test_a_merge_takes_what_one_side_changed_and_asks_for_the_rest(main: Branch) -> None:
    topic = main.branch("topic")
    topic.commit(ANN, "Theirs", edit("a.py", "-one\n+theirs"), move("b.py", to="c.py"))
    main.commit(ANN, "Ours", edit("a.py", "-one\n+ours"), new("d.py", "d"))
    with pytest.raises(ValueError, match=r"both sides changed a\.py"):
        main.merge(topic, ANN, "Merge")
    merge = main.merge(topic, ANN, "Merge", theirs("a.py"), append("a.py", "more", blank=0))
    assert merge.tree["a.py"] == "theirs\ntwo\nthree\ntwo\nmore\n"
    assert sorted(merge.tree) == ["a.py", "c.py", "d.py"]


def test_a_merge_may_keep_or_delete(main: Branch) -> None:
    topic = main.branch("topic")
    topic.commit(ANN, "Theirs", edit("a.py", "-one\n+theirs"), edit("b.py", "-one\n+theirs"))
    main.commit(ANN, "Ours", delete("a.py"), edit("b.py", "-one\n+ours"))
    merge = main.merge(topic, ANN, "Merge", delete("a.py"), ours("b.py"))
    assert merge.tree == {"b.py": "ours\ntwo\nthree\ntwo\n"}


def test_chains_are_checked_while_they_are_told(main: Branch) -> None:
    with pytest.raises(ValueError, match="3 to 6 commits"), main.chain("a.py"):
        main.commit(ANN, "Once", append("a.py", "x"))
    with pytest.raises(ValueError, match="does not touch"), main.chain("a.py"):
        main.commit(ANN, "Elsewhere", append("b.py", "x"))
    with pytest.raises(ValueError, match="changes nothing"):
        main.commit(ANN, "Nothing")


def test_a_deleted_branch_keeps_its_commits(story: Story, main: Branch, tmp_path: Path) -> None:
    topic = main.branch("topic")
    lost = topic.commit(ANN, "Lost", delete("a.py"))
    topic.delete()
    names = build(story, tmp_path / "tiny.git")
    refs = Git(git_dir=tmp_path / "tiny.git")("for-each-ref", "--format=%(refname)").decode().split()
    assert refs == [f"refs/ggb/{names[lost]}", "refs/heads/main"]
