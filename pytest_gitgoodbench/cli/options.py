"""The pytest options as options of `ggb`, where a command uses them."""

from __future__ import annotations

import argparse
from typing import Any

from pytest_gitgoodbench.settings import OPTIONS, Settings, options_table, settings_from


def add_options(parser: argparse.ArgumentParser) -> None:
    """All pytest options: those that have no meaning here are accepted, so that scripts can share them."""
    for option in OPTIONS:
        add_option(parser, option.name)


def add_option(
    parser: argparse.ArgumentParser,
    name: str,
    prefix: str = "--ggb-",
    *,
    required: bool = False,
    default: str | None = None,
) -> None:
    """One pytest option.

    Args:
        name: the field of `Settings`.
        prefix: what its name starts with instead of `--ggb-`.
        default: `argparse.SUPPRESS` where the option may have been given before a subcommand.
    """
    option = next(option for option in OPTIONS if option.name == name)
    flag = option.flag.replace("--ggb-", prefix, 1)
    text = option.help.replace("%", "%%")
    if option.is_switch:
        parser.add_argument(flag, dest=option.ini, action="store_true", default=default, help=text)
    else:
        metavar = option.metavar or "|".join(option.choices)
        action = "append" if option.many else "store"
        parser.add_argument(
            flag,
            dest=option.ini,
            metavar=metavar,
            action=action,
            required=required,
            default=default,
            help=text,
        )


def given(arguments: argparse.Namespace) -> dict[str, tuple[Any, str]]:
    """What the user wrote of the pytest options, by field name, with the option's name."""
    return {
        option.name: (value, option.flag)
        for option in OPTIONS
        if (value := getattr(arguments, option.ini, None)) is not None
    }


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings that the user wrote.

    Raises:
        UserError: a value does not fit its option.
    """
    return settings_from(given(arguments))


def options(arguments: argparse.Namespace) -> int:
    """`ggb options`"""
    print(options_table())
    return 0
