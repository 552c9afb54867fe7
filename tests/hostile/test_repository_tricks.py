"""A workspace's repository turned into something else still ends with the right verdict."""

from __future__ import annotations

import os
import shutil

import pytest


def merge_solved_then(trick):
    """An agent that solves the merge, then does something to its repository."""

    def agent(workspace):
        workspace.solve()
        trick(workspace)

    return agent


# -- harmless: the result is there, whatever else was done ------------------------------------------


def detach(workspace):
    workspace.git("checkout", "-q", "--detach")


def on_another_branch(workspace):
    workspace.git("checkout", "-q", "-b", "feature/deep/name")


def packed_refs(workspace):
    workspace.git("pack-refs", "--all", "--prune")


def collect_garbage(workspace):
    workspace.git("reflog", "expire", "--expire=now", "--all")
    workspace.git("gc", "-q", "--prune=now")


def repack(workspace):
    workspace.git("repack", "-adfq")


def commit_graph(workspace):
    workspace.git("commit-graph", "write", "--reachable")
    workspace.git("multi-pack-index", "write")


def make_shallow(workspace):
    (workspace.dot_git / "shallow").write_text(workspace.git("rev-parse", "HEAD") + "\n")


def leave_index_lock(workspace):
    (workspace.dot_git / "index.lock").write_bytes(b"")


def head_through_another_ref(workspace):
    workspace.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    workspace.git("symbolic-ref", "HEAD", "refs/heads/alias")


def head_at_a_tag(workspace):
    workspace.git("tag", "-a", "v1", "-m", "v1")
    (workspace.dot_git / "HEAD").write_text(workspace.git("rev-parse", "v1") + "\n")


def links_in_the_work_tree(workspace):
    (workspace.path / "file.txt").unlink()
    (workspace.path / "file.txt").symlink_to("/etc/passwd")
    (workspace.path / "etc").symlink_to("/etc")


def big_file(workspace):
    with (workspace.path / "big").open("wb") as file:
        file.truncate(1 << 30)


def deep_folders(workspace):
    path = workspace.path
    for _ in range(300):
        path = path / "deeper"
    path.mkdir(parents=True)


def worktree_beside(workspace):
    workspace.git("worktree", "add", "-q", str(workspace.path / "second"), "-b", "second")


def replace_refs(workspace):
    base = workspace.git("rev-parse", "HEAD^1")
    workspace.git("replace", workspace.git("rev-parse", "HEAD"), base)


def grafts(workspace):
    (workspace.dot_git / "info").mkdir(exist_ok=True)
    (workspace.dot_git / "info" / "grafts").write_text(workspace.git("rev-parse", "HEAD") + "\n")


@pytest.mark.parametrize(
    "trick",
    [
        detach,
        on_another_branch,
        packed_refs,
        collect_garbage,
        repack,
        commit_graph,
        make_shallow,
        leave_index_lock,
        head_through_another_ref,
        head_at_a_tag,
        links_in_the_work_tree,
        big_file,
        deep_folders,
        worktree_beside,
        replace_refs,
        grafts,
    ],
)
def test_a_solved_merge_stays_solved(arena, trick):
    ended = arena.run("merge", merge_solved_then(trick))
    assert ended.solved, ended.reasons


@pytest.mark.parametrize("year", ["0001", "3000"])
def test_odd_dates(arena, year):
    def agent(workspace):
        workspace.solve()
        body = workspace.git("cat-file", "commit", "HEAD").splitlines()
        seconds = {"0001": "0", "3000": "32503680000"}[year]
        lines = [
            f"{line.split('>')[0]}> {seconds} +0000" if line.startswith(("author", "committer")) else line
            for line in body
        ]
        text = "\n".join(lines) + "\n"
        commit = workspace.git("hash-object", "-t", "commit", "-w", "--stdin", text=text.encode())
        workspace.git("reset", "-q", "--hard", commit)

    assert arena.run("merge", agent).solved


def test_the_right_tree_without_a_merge_counts_and_is_recorded(arena):
    def agent(workspace):
        workspace.resolve()
        workspace.git("add", "-A")
        tree = workspace.git("write-tree")
        commit = workspace.git("commit-tree", tree, "-p", "HEAD", "-m", "No merge")
        workspace.git("reset", "-q", "--hard", commit)

    ended = arena.run("merge", agent)
    assert ended.solved, ended.reasons
    assert ended.evaluation.metrics["both_parents_kept"] is False


# -- harmful: the result cannot be read or is not one -----------------------------------------------


def delete_it(workspace):
    shutil.rmtree(workspace.dot_git)


def delete_everything(workspace):
    shutil.rmtree(workspace.path)


def replace_by_file(workspace):
    elsewhere = workspace.path.parent / "elsewhere.git"
    workspace.dot_git.rename(elsewhere)
    workspace.dot_git.write_text(f"gitdir: {elsewhere}\n")


def replace_by_link(workspace):
    elsewhere = workspace.path.parent / "elsewhere.git"
    workspace.dot_git.rename(elsewhere)
    workspace.dot_git.symlink_to(elsewhere)


def link_objects(workspace):
    elsewhere = workspace.path.parent / "objects"
    (workspace.dot_git / "objects").rename(elsewhere)
    (workspace.dot_git / "objects").symlink_to(elsewhere)


def head_nowhere(workspace):
    workspace.git("symbolic-ref", "HEAD", "refs/heads/nowhere")


def head_loop(workspace):
    workspace.git("symbolic-ref", "refs/heads/a", "refs/heads/b")
    workspace.git("symbolic-ref", "refs/heads/b", "refs/heads/a")
    workspace.git("symbolic-ref", "HEAD", "refs/heads/a")


def head_outside(workspace):
    outside = workspace.path.parent / "outside"
    outside.write_text(workspace.git("rev-parse", "HEAD") + "\n")
    (workspace.dot_git / "HEAD").write_text("ref: refs/heads/../../../../outside\n")


def head_missing_commit(workspace):
    (workspace.dot_git / "HEAD").write_text("1" * 40 + "\n")


def head_is_a_pipe(workspace):
    (workspace.dot_git / "HEAD").unlink()
    os.mkfifo(workspace.dot_git / "HEAD")


def head_is_a_device(workspace):
    (workspace.dot_git / "HEAD").unlink()
    (workspace.dot_git / "HEAD").symlink_to("/dev/zero")


def head_is_huge(workspace):
    with (workspace.dot_git / "HEAD").open("wb") as file:
        file.truncate(1 << 34)


def head_is_a_blob(workspace):
    blob = workspace.git("hash-object", "-w", "file.txt")
    (workspace.dot_git / "HEAD").write_text(blob + "\n")


def objects_damaged(workspace):
    for path in (workspace.dot_git / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o644)
            path.write_bytes(b"damaged")


def converted_to_sha256(workspace):
    shutil.rmtree(workspace.dot_git)
    workspace.git("init", "-q", "--object-format=sha256")
    workspace.git("add", "-A")
    workspace.git("commit", "-q", "-m", "The same in another hash function")


def converted_to_reftable(workspace):
    (workspace.dot_git / "reftable").mkdir()
    (workspace.dot_git / "reftable" / "tables.list").write_text("0x000000000001-0x000000000001.ref\n")
    (workspace.dot_git / "HEAD").write_text("ref: refs/heads/.invalid\n")


@pytest.mark.parametrize(
    "trick",
    [
        converted_to_sha256,
        converted_to_reftable,
        delete_it,
        delete_everything,
        replace_by_file,
        replace_by_link,
        link_objects,
        head_nowhere,
        head_loop,
        head_outside,
        head_missing_commit,
        head_is_a_pipe,
        head_is_a_device,
        head_is_huge,
        head_is_a_blob,
        objects_damaged,
    ],
)
@pytest.mark.parametrize("scenario", ["merge", "rebase"])
def test_an_unreadable_result_is_unsolved_with_a_reason(arena, trick, scenario):
    def agent(workspace):
        if scenario == "merge":
            workspace.solve()
        elif trick is objects_damaged:
            # Otherwise HEAD stays at a commit that was given, and what was given is not in doubt.
            workspace.git("commit", "-q", "--amend", "-m", "Another message")
        trick(workspace)

    ended = arena.run(scenario, agent)
    assert not ended.solved
    assert ended.reasons.strip()
    # The next attempt starts from the same state as ever.
    assert arena.run("merge", lambda workspace: workspace.solve()).solved


def test_objects_borrowed_from_the_cache_do_not_count(arena):
    store = arena.cache.store("acme/anvil", [arena.truth]).path / "objects"

    def agent(workspace):
        alternates = workspace.dot_git / "objects" / "info" / "alternates"
        alternates.parent.mkdir(exist_ok=True)
        alternates.write_text(f"{store}\n")
        (workspace.dot_git / "HEAD").write_text(arena.truth + "\n")

    # What the agent did is possible outside of the sandbox only; its result must not be believed.
    ended = arena.run("merge", agent)
    assert not ended.solved
    assert "alternates" in ended.reasons or "borrow" in ended.reasons


# -- unfinished -------------------------------------------------------------------------------------


def test_uncommitted_but_right(arena):
    ended = arena.run("merge", lambda workspace: workspace.resolve())
    assert not ended.solved


def test_staged_but_not_committed(arena):
    def agent(workspace):
        workspace.resolve()
        workspace.git("add", "file.txt")

    ended = arena.run("merge", agent)
    assert not ended.solved
    assert "merge" in ended.reasons


def test_only_stashed(arena):
    def agent(workspace):
        workspace.resolve()
        workspace.git("add", "file.txt")
        workspace.git("stash")

    assert not arena.run("merge", agent).solved


@pytest.mark.parametrize("operation", ["rebase", "bisect", "cherry-pick"])
def test_an_operation_left_in_progress(arena, operation):
    def agent(workspace):
        if operation == "rebase":
            workspace.git("-c", "sequence.editor=sed -i 1ibreak", "rebase", "-i", "base", check=False)
            # Our environment sets the editor; write the state as git leaves it.
            if not (workspace.dot_git / "rebase-merge").exists():
                (workspace.dot_git / "rebase-merge").mkdir()
                (workspace.dot_git / "rebase-merge" / "git-rebase-todo").write_text("break\n")
        elif operation == "bisect":
            workspace.git("bisect", "start")
        else:
            (workspace.dot_git / "CHERRY_PICK_HEAD").write_text(workspace.git("rev-parse", "HEAD") + "\n")

    ended = arena.run("rebase", agent)
    assert not ended.solved
    assert operation in ended.reasons


def test_the_maintainers_commit_named_but_not_made(arena):
    """The dataset is public: an agent can know the hash without having the merge."""
    ended = arena.run("merge", lambda workspace: (workspace.dot_git / "HEAD").write_text(arena.truth + "\n"))
    assert not ended.solved
    assert "readable" in ended.reasons


def test_the_maintainers_tree_named_but_not_made(arena):
    tree = arena.cache.store("acme/anvil", [arena.truth]).git.line("rev-parse", f"{arena.truth}^{{tree}}")

    def agent(workspace):
        head = workspace.git("rev-parse", "HEAD")
        who = "Agent <agent@example.invalid> 1735689600 +0000"
        body = f"tree {tree}\nparent {head}\nauthor {who}\ncommitter {who}\n\nMerge\n"
        commit = workspace.git(
            "hash-object", "-t", "commit", "-w", "--stdin", "--literally", text=body.encode()
        )
        (workspace.dot_git / "refs" / "heads" / "main").write_text(commit + "\n")
        for name in ("MERGE_HEAD", "index"):
            (workspace.dot_git / name).unlink()

    ended = arena.run("merge", agent)
    assert not ended.solved
    assert "readable" in ended.reasons


def test_no_file_of_a_workspace_is_anybody_elses(arena):
    """Neither hard links, nor links: writing to it reaches neither the cache nor another attempt."""
    linked = []

    def agent(workspace):
        for path in workspace.path.rglob("*"):
            if path.is_symlink() or (path.is_file() and path.stat().st_nlink > 1):
                linked.append(path)
            elif path.is_file():
                path.chmod(0o644)
                path.write_bytes(b"overwritten")

    assert not arena.run("merge", agent).solved
    assert not linked
    assert arena.run("merge", lambda workspace: workspace.solve()).solved
