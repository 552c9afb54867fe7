"""The command line `ggb`: everything about runs and repositories that is not a test run."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from pytest_gitgoodbench.cli.options import add_option, add_options
from pytest_gitgoodbench.errors import GitGoodBenchError


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        The exit status: 0, 1 where a command says no (a gate, a failed check), 2 for an error, of which
        one line tells on standard error.
    """
    arguments = _parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
    except GitGoodBenchError as error:
        from pytest_gitgoodbench.judging.visible import visible

        print(f"ggb: {visible(' '.join(str(error).split()))}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever read our output (head, less) has had enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return status


def _command(module: str, name: str) -> Callable[[argparse.Namespace], int]:
    """A command of a module beside this one, which is imported when the command is run."""

    def run(arguments: argparse.Namespace) -> int:
        status: int = getattr(import_module(f"{__name__}.{module}"), name)(arguments)
        return status

    return run


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ggb", description="GitGoodBench: runs and repositories.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(module: str, name: str, told: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=told, description=told[0].upper() + told[1:] + ".")
        made.set_defaults(run=_command(module, name))
        return made

    add_options(command("repositories", "fetch", "make the repositories of a selection ready ahead of time"))

    report = command("runs", "report", "write a run's report.html again and tell its summary")
    report.add_argument("path", type=Path, metavar="RUN")
    report.add_argument("--min-solve-rate", type=_share, metavar="RATE", help="exit with 1 below this rate")

    compare = command("runs", "compare", "compare runs on the same scenarios, each with the first")
    compare.add_argument("paths", type=Path, nargs="+", metavar="RUN")
    compare.add_argument("--format", choices=("text", "markdown", "html"), default="text")
    compare.add_argument("--out", type=Path, metavar="FILE", help="write a file instead of printing")
    compare.add_argument(
        "--protocol", choices=("strict", "paper"), help="by which verdict (default: the runs')"
    )
    compare.add_argument("--force", action="store_true", help="even if their datasets or protocols differ")

    merge = command("runs", "merge", "make one run of several, e.g. of the shards of a CI matrix")
    merge.add_argument("paths", type=Path, nargs="+", metavar="RUN")
    merge.add_argument("--out", type=Path, required=True, metavar="DIR", help="the new run directory")

    export = command("runs", "export", "write solved transcripts or results for other programs")
    export.add_argument("path", type=Path, metavar="RUN")
    export.add_argument("--format", choices=("chat", "csv", "parquet", "leaderboard"), required=True)
    export.add_argument("--out", type=Path, metavar="FILE", help="write a file instead of printing")

    rejudge = command("runs", "rejudge", "judge a finished run again, without running its agent")
    rejudge.add_argument("path", type=Path, metavar="RUN")
    add_option(rejudge, "judge", prefix="--", required=True)
    rejudge.add_argument("--out", type=Path, metavar="DIR", help="the new run directory (default: RUN-JUDGE)")
    for name in ("judge_votes", "judge_threshold", "protocol", "cache_dir"):
        add_option(rejudge, name, prefix="--")

    doctor = command("repositories", "doctor", "find out whether everything a run needs works here")
    add_option(doctor, "cache_dir", prefix="--")

    cache = command("repositories", "cache", "list what is in the repository cache, or take something out")
    add_option(cache, "cache_dir", prefix="--")
    actions = cache.add_subparsers(metavar="ACTION")
    listing = actions.add_parser("list", help="list the repositories (the default)")
    prune = actions.add_parser("prune", help="take something out of the cache")
    for action in (listing, prune):
        add_option(action, "cache_dir", prefix="--", default=argparse.SUPPRESS)
    prune.set_defaults(run=_command("repositories", "prune"))
    prune.add_argument("--repo", action="append", default=[], metavar="OWNER/REPO", help="this repository")
    prune.add_argument("--older-than", type=_days, metavar="DAYS", help="what was last fetched so long ago")
    prune.add_argument("--templates", action="store_true", help="workspace templates")
    prune.add_argument("--judge", action="store_true", help="kept answers of judges")
    prune.add_argument("--all", action="store_true", help="everything")

    command("options", "options", "print the table of pytest options as Markdown")
    return parser


def _days(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{value!r} is not a number of days")
    return number


def _share(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{value!r} is not a number from 0 to 1")
    return number
