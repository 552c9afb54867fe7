"""Whatever an agent sets up in its workspace to be run by us later is not run, and costs no honest point."""

from __future__ import annotations

import os
import stat

import pytest

HOOKS = [
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-rebase",
    "prepare-commit-msg",
    "reference-transaction",
]

# Settings that make some git command run a program.
PROGRAMS = [
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "diff.external",
    "gpg.program",
    "sequence.editor",
    "uploadpack.packObjectsHook",
    "credential.helper",
    "pager.log",
    "pager.diff",
    "pager.cat-file",
    "filter.trap.clean",
    "filter.trap.smudge",
    "filter.trap.process",
    "merge.trap.driver",
    "diff.trap.textconv",
    "diff.trap.command",
    "interactive.diffFilter",
    "trailer.x.command",
]
ALIASES = [
    "rev-parse",
    "cat-file",
    "rev-list",
    "diff",
    "diff-tree",
    "ls-files",
    "ls-tree",
    "log",
    "status",
    "pack-objects",
    "index-pack",
    "fetch",
]
ATTRIBUTES = "* filter=trap diff=trap merge=trap\n"


def set_traps(arena, workspace):
    for setting in PROGRAMS:
        workspace.git("config", setting, arena.trap(setting))
    for name in ALIASES:
        workspace.git("config", f"alias.{name}", "!" + arena.trap(name))
    hooks = workspace.dot_git / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        hook = hooks / name
        hook.write_text(f"#!/bin/sh\n{arena.trap(name)}\n")
        hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    workspace.git("config", "core.hooksPath", str(hooks))


@pytest.mark.parametrize("scenario", ["merge", "rebase", "commit"])
def test_hooks_and_programs_in_the_configuration(arena, scenario):
    def agent(workspace):
        if scenario == "merge":
            workspace.solve()
        elif scenario == "commit":
            workspace.git("commit", "-q", "-m", "Everything")
        (workspace.dot_git / "info").mkdir(exist_ok=True)
        (workspace.dot_git / "info" / "attributes").write_text(ATTRIBUTES)
        set_traps(arena, workspace)

    ended = arena.run(scenario, agent)
    assert ended.solved, ended.reasons


def test_attributes_in_the_committed_tree(arena):
    def agent(workspace):
        (workspace.path / ".gitattributes").write_text(ATTRIBUTES)
        workspace.resolve()
        workspace.git("add", "-A")
        workspace.git("commit", "-q", "-m", "Merge with attributes")
        set_traps(arena, workspace)

    ended = arena.run("merge", agent)
    assert "exact-match" in ended.reasons
    assert ".gitattributes" in ended.evaluation.patch


def test_configuration_that_includes_a_pipe_does_not_hang(arena):
    def agent(workspace):
        workspace.solve()
        os.mkfifo(workspace.path / "pipe")
        with (workspace.dot_git / "config").open("a") as config:
            config.write(f"[include]\n\tpath = {workspace.path / 'pipe'}\n")

    ended = arena.run("merge", agent)
    assert ended.solved, ended.reasons


def test_configuration_that_is_no_configuration(arena):
    def agent(workspace):
        workspace.solve()
        (workspace.dot_git / "config").write_text("[core\nrepositoryformatversion = 99\n")

    assert arena.run("merge", agent).solved


def test_work_tree_set_elsewhere(arena, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file.txt").write_text("untouched\n")

    def agent(workspace):
        workspace.solve()
        workspace.git("config", "core.worktree", str(elsewhere))

    assert arena.run("merge", agent).solved
    assert (elsewhere / "file.txt").read_text() == "untouched\n"
