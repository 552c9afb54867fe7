"""How ledger began: money, transactions, a parser, balances."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import edit, new
from pytest_gitgoodbench.dataset.demo.ledger import first_files as files
from pytest_gitgoodbench.dataset.demo.ledger.people import JONAS, MARA
from pytest_gitgoodbench.dataset.demo.story import Branch, Story


def tell(story: Story) -> Branch:
    """From nothing to a tool that prints balances."""
    main = story.start(
        MARA,
        "Start with money and transactions",
        new("README.md", files.README),
        new("ledger/__init__.py", '"""Bookkeeping for small clubs, in plain text."""'),
        new("ledger/money.py", files.MONEY),
        new("ledger/entries.py", files.ENTRIES),
        new("tests/test_money.py", files.TEST_MONEY),
    )
    main.commit(
        JONAS,
        "Read journals from plain text",
        new("ledger/parser.py", files.PARSER),
        new("tests/test_parser.py", files.TEST_PARSER),
    )
    main.commit(
        MARA,
        """
        Print balances and registers

        The treasurer wants both for the yearly meeting on the 20th, so this is
        the smallest thing that works. No sorting options, no dates yet.
        """,
        new("ledger/report.py", files.REPORT),
        new("ledger/cli.py", files.CLI),
        new("ledger/__main__.py", "from ledger.cli import main\n\nraise SystemExit(main())"),
    )
    main.commit(
        JONAS,
        "Refuse transactions that do not add up",
        edit(
            "ledger/parser.py",
            """
            +def _finish(number: int, head: tuple[date, str], postings: list[Posting]) -> Transaction:
            +    transaction = Transaction(*head, tuple(postings))
            +    if not transaction.balanced:
            +        raise ParseError(number, f"the postings of {head[1]} do not add up to zero")
            +    return transaction
            +
            +
             def _head(number: int, line: str) -> tuple[date, str]:
            """,
        ),
        edit(
            "ledger/parser.py",
            """
                     if head is not None:
            -            journal.transactions.append(Transaction(*head, tuple(postings)))
            +            journal.transactions.append(_finish(number - 1, head, postings))
                     head, postings = _head(number, line), []
                 if head is not None:
            -        journal.transactions.append(Transaction(*head, tuple(postings)))
            +        journal.transactions.append(_finish(number, head, postings))
            """,
        ),
    )
    return main
