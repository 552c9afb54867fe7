"""The files that ledger began with."""

README = """
    # ledger

    Bookkeeping for small clubs. The journal is a text file that everybody can read:

        2021-02-27 Sports hall, March
            expenses:rent          120.00
            assets:giro           -120.00

    Then ask for what is where:

        python -m ledger balance club.journal
    """

MONEY = '''
    """Amounts of money: exact, no floats anywhere."""

    from __future__ import annotations

    from collections.abc import Iterable
    from dataclasses import dataclass
    from decimal import Decimal, InvalidOperation


    class MoneyError(ValueError):
        """An amount that cannot be read."""


    @dataclass(frozen=True, order=True)
    class Money:
        """An amount in cents."""

        cents: int

        def __add__(self, other: Money) -> Money:
            return Money(self.cents + other.cents)

        def __neg__(self) -> Money:
            return Money(-self.cents)

        def __bool__(self) -> bool:
            return self.cents != 0

        def __str__(self) -> str:
            sign = "-" if self.cents < 0 else ""
            whole, rest = divmod(abs(self.cents), 100)
            return f"{sign}{whole}.{rest:02d}"


    ZERO = Money(0)


    def parse_money(text: str) -> Money:
        """Read an amount such as `12`, `12.5` or `-12.50`."""
        try:
            amount = Decimal(text.strip())
        except InvalidOperation:
            raise MoneyError(f"not an amount: {text!r}") from None
        return Money(int(amount * 100))


    def total(amounts: Iterable[Money]) -> Money:
        """The sum; zero for nothing."""
        return sum(amounts, start=ZERO)
    '''

ENTRIES = '''
    """Transactions and the journal they stand in."""

    from __future__ import annotations

    from collections.abc import Iterator
    from dataclasses import dataclass, field
    from datetime import date

    from ledger.money import Money, total


    @dataclass(frozen=True)
    class Posting:
        """One line of a transaction: what goes into an account, or out of it."""

        account: str
        amount: Money


    @dataclass(frozen=True)
    class Transaction:
        day: date
        payee: str
        postings: tuple[Posting, ...]

        @property
        def balanced(self) -> bool:
            """Nothing comes from nowhere: the postings add up to zero."""
            return not total(posting.amount for posting in self.postings)


    @dataclass
    class Journal:
        transactions: list[Transaction] = field(default_factory=list)

        def postings(self) -> Iterator[Posting]:
            for transaction in self.transactions:
                yield from transaction.postings

        def accounts(self) -> list[str]:
            return sorted({posting.account for posting in self.postings()})
    '''

TEST_MONEY = """
    import pytest

    from ledger.money import Money, MoneyError, parse_money, total


    def test_cents_are_kept():
        assert str(parse_money("12.5")) == "12.50"
        assert parse_money("-0.05") == Money(-5)


    def test_words_are_no_amounts():
        with pytest.raises(MoneyError):
            parse_money("twelve")


    def test_total_of_nothing_is_zero():
        assert total([]) == Money(0)
    """

PARSER = '''
    """Read a journal: a line with date and payee, then indented postings."""

    from __future__ import annotations

    from datetime import date

    from ledger.entries import Journal, Posting, Transaction
    from ledger.money import parse_money


    class ParseError(ValueError):
        """A line that makes no sense; says which."""

        def __init__(self, number: int, what: str) -> None:
            super().__init__(f"line {number}: {what}")


    def parse(text: str) -> Journal:
        """Read a whole journal.

        Raises:
            ParseError: at the first line that cannot be understood.
        """
        journal = Journal()
        head: tuple[date, str] | None = None
        postings: list[Posting] = []
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            if line.startswith(" "):
                if head is None:
                    raise ParseError(number, "a posting before any transaction")
                postings.append(_posting(number, line))
                continue
            if head is not None:
                journal.transactions.append(Transaction(*head, tuple(postings)))
            head, postings = _head(number, line), []
        if head is not None:
            journal.transactions.append(Transaction(*head, tuple(postings)))
        return journal


    def _head(number: int, line: str) -> tuple[date, str]:
        day, _, payee = line.partition(" ")
        try:
            return date.fromisoformat(day), payee.strip()
        except ValueError:
            raise ParseError(number, f"not a date: {day}") from None


    def _posting(number: int, line: str) -> Posting:
        account, _, amount = line.strip().rpartition("  ")
        if not account:
            raise ParseError(number, "account and amount need two blanks between them")
        return Posting(account.strip(), parse_money(amount))
    '''

TEST_PARSER = """
    from ledger.money import Money
    from ledger.parser import parse

    RENT = '''\\
    2021-02-27 Sports hall, March
        expenses:rent          120.00
        assets:giro           -120.00
    '''


    def test_one_transaction():
        journal = parse(RENT)
        assert [one.payee for one in journal.transactions] == ["Sports hall, March"]
        assert journal.transactions[0].balanced


    def test_postings_keep_their_order():
        amounts = [posting.amount for posting in parse(RENT).postings()]
        assert amounts == [Money(12000), Money(-12000)]
    """

REPORT = '''
    """Reports over a journal, as text."""

    from __future__ import annotations

    from ledger.entries import Journal
    from ledger.money import ZERO, Money


    def balances(journal: Journal) -> dict[str, Money]:
        """What is in each account."""
        found: dict[str, Money] = {}
        for posting in journal.postings():
            found[posting.account] = found.get(posting.account, ZERO) + posting.amount
        return found


    def balance_report(journal: Journal) -> str:
        """A line for each account, in alphabetical order."""
        lines = []
        for account, amount in sorted(balances(journal).items()):
            lines.append(f"{amount!s:>12}  {account}")
        return "\\n".join(lines)


    def register_report(journal: Journal, account: str) -> str:
        """Every posting of one account, with the balance after it."""
        lines = []
        running = ZERO
        for transaction in journal.transactions:
            for posting in transaction.postings:
                if posting.account != account:
                    continue
                running = running + posting.amount
                row = f"{transaction.day} {transaction.payee:<30}"
                lines.append(f"{row} {posting.amount!s:>12} {running!s:>12}")
        return "\\n".join(lines)
    '''

CLI = '''
    """The command line: `python -m ledger COMMAND JOURNAL`."""

    from __future__ import annotations

    import argparse
    import sys
    from pathlib import Path

    from ledger.entries import Journal
    from ledger.parser import parse
    from ledger.report import balance_report, register_report


    def main(argv: list[str] | None = None) -> int:
        options = _parser().parse_args(argv)
        journal = parse(options.journal.read_text(encoding="utf-8"))
        print(options.run(journal, options))
        return 0


    def balance(journal: Journal, options: argparse.Namespace) -> str:
        return balance_report(journal)


    def register(journal: Journal, options: argparse.Namespace) -> str:
        return register_report(journal, options.account)


    def _parser() -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(prog="ledger")
        commands = parser.add_subparsers(required=True)

        command = commands.add_parser("balance", help="what is in each account")
        command.add_argument("journal", type=Path)
        command.set_defaults(run=balance)

        command = commands.add_parser("register", help="every posting of one account")
        command.add_argument("journal", type=Path)
        command.add_argument("account")
        command.set_defaults(run=register)
        return parser


    if __name__ == "__main__":
        sys.exit(main())
    '''
