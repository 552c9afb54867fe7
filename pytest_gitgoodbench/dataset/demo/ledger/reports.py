"""Reports grow on main in small steps (a chain); a branch about their width then has to fit in."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import append, edit, new
from pytest_gitgoodbench.dataset.demo.ledger.people import JONAS, MARA, PRIYA
from pytest_gitgoodbench.dataset.demo.story import Branch

TEST_REPORT = """
    from ledger.parser import parse
    from ledger.report import balance_report

    JOURNAL = '''\\
    2021-02-27 Sports hall, March
        expenses:rent          120.00
        assets:giro           -120.00
    '''


    def test_accounts_are_in_alphabetical_order():
        first, second = balance_report(parse(JOURNAL)).splitlines()[:2]
        assert first.split() == ["-120.00", "assets:giro"]
        assert second.split() == ["120.00", "expenses:rent"]
    """


def tell(main: Branch) -> None:
    """Priya starts from the old reports, so that both sides edit both functions."""
    main.commit(MARA, "Test the balance report", new("tests/test_report.py", TEST_REPORT))
    width = main.branch("priya/width")
    steps(main)
    width.commit(
        PRIYA,
        "Let the caller say how wide amounts are",
        edit(
            "ledger/report.py",
            '''
            -def balance_report(journal: Journal) -> str:
            -    """A line for each account, in alphabetical order."""
            +def balance_report(journal: Journal, width: int = 12) -> str:
            +    """A line for each account, in alphabetical order; amounts take `width` columns."""
                 lines = []
                 for account, amount in sorted(balances(journal).items()):
            -        lines.append(f"{amount!s:>12}  {account}")
            +        lines.append(f"{amount!s:>{width}}  {account}")
                 return "\\n".join(lines)
            @@
            -def register_report(journal: Journal, account: str) -> str:
            +def register_report(journal: Journal, account: str, width: int = 12) -> str:
                 """Every posting of one account, with the balance after it."""
            @@
            -            lines.append(f"{row} {posting.amount!s:>12} {running!s:>12}")
            +            lines.append(f"{row} {posting.amount!s:>{width}} {running!s:>{width}}")
            ''',
        ),
    )
    main.merge(
        width,
        MARA,
        """
        Merge pull request #12 from priya/width

        Let the caller say how wide amounts are
        """,
        edit(
            "ledger/report.py",
            '''
            -def balance_report(journal: Journal) -> str:
            -    """A line for each account that is not empty, then the total."""
            +def balance_report(journal: Journal, width: int = 12) -> str:
            +    """A line for each account that is not empty, and the total, in `width` columns."""
                 lines = []
            @@
            -        lines.append(f"{amount!s:>12}  {account}")
            -    lines.append("-" * 12)
            -    lines.append(f"{total(shown.values())!s:>12}")
            +        lines.append(f"{amount!s:>{width}}  {account}")
            +    lines.append("-" * width)
            +    lines.append(f"{total(shown.values())!s:>{width}}")
                 return "\\n".join(lines)
            @@
            -def register_report(journal: Journal, account: str) -> str:
            +def register_report(journal: Journal, account: str, width: int = 12) -> str:
                 """Every posting of one account, with the balance after it."""
            @@
            -            lines.append(f"{row} {posting.amount!s:>12} {running!s:>12}")
            +            lines.append(f"{row} {posting.amount!s:>{width}} {running!s:>{width}}")
            ''',
        ),
    )


def steps(main: Branch) -> None:
    """Five commits on the reports; two have the same message and only correct the others."""
    with main.chain("ledger/report.py"):
        main.commit(
            MARA,
            "Leave empty accounts out of the balance report",
            edit(
                "ledger/report.py",
                '''
                -    """A line for each account, in alphabetical order."""
                +    """A line for each account that is not empty, in alphabetical order."""
                     lines = []
                -    for account, amount in sorted(balances(journal).items()):
                +    shown = {account: amount for account, amount in balances(journal).items() if amount}
                +    for account, amount in sorted(shown.items()):
                ''',
            ),
        )
        main.commit(
            MARA,
            "Print the total below the balances",
            edit(
                "ledger/report.py",
                """
                -from ledger.money import ZERO, Money
                +from ledger.money import ZERO, Money, total
                @@
                         lines.append(f"{amount!s:>12}  {account}")
                +    lines.append("-" * 10)
                +    lines.append(f"{total(shown.values())!s:>12}")
                     return "\\n".join(lines)
                """,
            ),
            edit(
                "ledger/cli.py",
                """
                -    command = commands.add_parser("balance", help="what is in each account")
                +    command = commands.add_parser("balance", help="what is in each account, and in all")
                """,
            ),
        )
        main.commit(
            JONAS,
            "Shorten long payees in the register",
            edit(
                "ledger/report.py",
                """
                             running = running + posting.amount
                -            row = f"{transaction.day} {transaction.payee:<30}"
                +            payee = shorten(transaction.payee, 30)
                +            row = f"{transaction.day} {payee:<30}"
                """,
            ),
            append(
                "ledger/report.py",
                '''
                def shorten(text: str, width: int) -> str:
                    """The text, cut to the width."""
                    return text if len(text) <= width else text[:width]
                ''',
            ),
        )
        main.commit(
            MARA,
            "fix report",
            edit(
                "ledger/report.py",
                '''
                -    """A line for each account that is not empty, in alphabetical order."""
                +    """A line for each account that is not empty, then the total."""
                @@
                -    lines.append("-" * 10)
                +    lines.append("-" * 12)
                ''',
            ),
        )
        main.commit(
            JONAS,
            "fix report",
            edit(
                "ledger/report.py",
                '''
                -    """The text, cut to the width."""
                -    return text if len(text) <= width else text[:width]
                +    """The text, cut to the width with a mark where it was cut."""
                +    return text if len(text) <= width else text[: width - 3] + "..."
                ''',
            ),
            append(
                "tests/test_report.py",
                """
                def test_long_payees_show_that_they_were_cut():
                    assert shorten("Sports hall", 8) == "Sport..."
                """,
            ),
            edit(
                "tests/test_report.py",
                """
                -from ledger.report import balance_report
                +from ledger.report import balance_report, shorten
                """,
            ),
        )
