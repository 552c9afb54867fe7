"""Two people add a command each: both insert an import at the same line, and both are wanted."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import edit, new
from pytest_gitgoodbench.dataset.demo.ledger.people import JONAS, PRIYA
from pytest_gitgoodbench.dataset.demo.story import Branch

BANK = '''
    """Turn a bank's CSV statement into transactions."""

    from __future__ import annotations

    import csv
    from collections.abc import Iterable
    from datetime import datetime

    from ledger.entries import Posting, Transaction
    from ledger.money import parse_money

    ASSETS = "assets:giro"
    UNKNOWN = "unknown"


    def read_statement(lines: Iterable[str]) -> list[Transaction]:
        """Read the statement that our bank offers for download."""
        found = []
        for row in csv.DictReader(lines, delimiter=";"):
            day = datetime.strptime(row["Date"], "%d.%m.%Y").date()
            amount = parse_money(row["Amount"])
            postings = (Posting(ASSETS, amount), Posting(UNKNOWN, -amount))
            found.append(Transaction(day, row["Payee"], postings))
        return found
    '''

BUDGET = '''
    """Budgets: how much an account may cost, and which ones cost more."""

    from __future__ import annotations

    from ledger.entries import Journal
    from ledger.money import ZERO, Money, parse_money
    from ledger.report import balances


    def read_budget(text: str) -> dict[str, Money]:
        """Read lines of an account and its limit."""
        limits = {}
        for line in text.splitlines():
            account, _, limit = line.strip().rpartition(" ")
            if account:
                limits[account.strip()] = parse_money(limit)
        return limits


    def over_budget(journal: Journal, limits: dict[str, Money]) -> dict[str, Money]:
        """The accounts that cost more than planned, and by how much."""
        found = {}
        for account, spent in balances(journal).items():
            excess = spent + -limits.get(account, spent)
            if excess > ZERO:
                found[account] = excess
        return found
    '''


def tell(main: Branch) -> None:
    """The bank's statements land on main while the budget branch is reviewed."""
    budgets = main.branch("budgets")
    budgets.commit(
        PRIYA,
        "Warn about accounts that are over budget",
        new("ledger/budget.py", BUDGET),
        edit(
            "ledger/cli.py",
            """
             from pathlib import Path

            +from ledger.budget import over_budget, read_budget
             from ledger.entries import Journal
            @@
             def _parser() -> argparse.ArgumentParser:
                 parser = argparse.ArgumentParser(prog="ledger")
                 commands = parser.add_subparsers(required=True)

            +    command = commands.add_parser("budget", help="accounts that cost more than planned")
            +    command.add_argument("journal", type=Path)
            +    command.add_argument("limits", type=Path)
            +    command.set_defaults(run=budget)
            +
                 command = commands.add_parser("balance", help="what is in each account")
            """,
        ),
        edit(
            "ledger/cli.py",
            """
             def balance(journal: Journal, options: argparse.Namespace) -> str:
                 return balance_report(journal)
            +
            +
            +def budget(journal: Journal, options: argparse.Namespace) -> str:
            +    limits = read_budget(options.limits.read_text(encoding="utf-8"))
            +    excess = over_budget(journal, limits)
            +    return "\\n".join(f"{amount!s:>12}  {account}" for account, amount in sorted(excess.items()))
            """,
        ),
    )
    main.commit(
        JONAS,
        "Import bank statements",
        new("ledger/bank.py", BANK),
        edit(
            "ledger/cli.py",
            """
             from pathlib import Path

            +from ledger.bank import read_statement
             from ledger.entries import Journal
            @@
             def register(journal: Journal, options: argparse.Namespace) -> str:
                 return register_report(journal, options.account)

            +
            +def statement(journal: Journal, options: argparse.Namespace) -> str:
            +    with options.statement.open(encoding="utf-8", newline="") as lines:
            +        return "\\n".join(f"{one.day} {one.payee}" for one in read_statement(lines))
            +
            @@
                 command.add_argument("account")
                 command.set_defaults(run=register)
            +
            +    command = commands.add_parser("import", help="what a bank statement would add")
            +    command.add_argument("journal", type=Path)
            +    command.add_argument("statement", type=Path)
            +    command.set_defaults(run=statement)
                 return parser
            """,
        ),
    )
    main.merge(
        budgets,
        JONAS,
        "Merge branch 'budgets'",
        edit(
            "ledger/cli.py",
            """
             from ledger.bank import read_statement
            +from ledger.budget import over_budget, read_budget
             from ledger.entries import Journal
            @@
             def balance(journal: Journal, options: argparse.Namespace) -> str:
                 return balance_report(journal)

            +
            +def budget(journal: Journal, options: argparse.Namespace) -> str:
            +    limits = read_budget(options.limits.read_text(encoding="utf-8"))
            +    excess = over_budget(journal, limits)
            +    return "\\n".join(f"{amount!s:>12}  {account}" for account, amount in sorted(excess.items()))
            +
            @@
                 commands = parser.add_subparsers(required=True)

            +    command = commands.add_parser("budget", help="accounts that cost more than planned")
            +    command.add_argument("journal", type=Path)
            +    command.add_argument("limits", type=Path)
            +    command.set_defaults(run=budget)
            +
                 command = commands.add_parser("balance", help="what is in each account")
            """,
        ),
    )
