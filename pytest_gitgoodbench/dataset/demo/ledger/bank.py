"""The bank import becomes useful: a chain with much going on beside its file, and a forgotten line."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import append, edit, new
from pytest_gitgoodbench.dataset.demo.ledger.people import JONAS, PRIYA
from pytest_gitgoodbench.dataset.demo.story import Branch

TEST_BANK = """
    from ledger.bank import read_statement

    STATEMENT = [
        "Date;Payee;Amount",
        "01.03.2021;Sports hall;-120.00",
        "02.03.2021;A. Weber, fee;35.00",
    ]


    def test_a_row_is_a_balanced_transaction():
        first, second = read_statement(STATEMENT)
        assert first.balanced and second.balanced
        assert first.payee == "Sports hall"
    """


def tell(main: Branch) -> None:
    """All on main, as small projects do."""
    with main.chain("ledger/bank.py"):
        main.commit(
            JONAS,
            "Add bank test, accept statements with a preamble",
            edit(
                "ledger/bank.py",
                '''
                 ASSETS = "assets:giro"
                 UNKNOWN = "unknown"
                +HEADER = "Date;"
                @@
                     """Read the statement that our bank offers for download."""
                     found = []
                -    for row in csv.DictReader(lines, delimiter=";"):
                +    for row in csv.DictReader(_table(lines), delimiter=";"):
                ''',
            ),
            append(
                "ledger/bank.py",
                '''
                def _table(lines: Iterable[str]) -> Iterable[str]:
                    """The lines from the header on; the bank prints its address before."""
                    rows = iter(lines)
                    for line in rows:
                        if line.startswith(HEADER):
                            yield line
                            break
                    yield from rows
                ''',
            ),
            new("tests/test_bank.py", TEST_BANK),
        )
        main.commit(
            JONAS,
            "Guess the account from the payee",
            edit(
                "ledger/bank.py",
                '''
                -def read_statement(lines: Iterable[str]) -> list[Transaction]:
                -    """Read the statement that our bank offers for download."""
                +def read_statement(lines: Iterable[str], rules: Rules = ()) -> list[Transaction]:
                +    """Read the statement that our bank offers for download.
                +
                +    Args:
                +        lines: the file.
                +        rules: words of the payee, and the account they stand for; the first one counts.
                +    """
                     found = []
                @@
                -        postings = (Posting(ASSETS, amount), Posting(UNKNOWN, -amount))
                +        account = _account(row["Payee"], rules)
                +        postings = (Posting(ASSETS, amount), Posting(account, -amount))
                ''',
            ),
            append(
                "ledger/bank.py",
                """
                def _account(payee: str, rules: Rules) -> str:
                    for words, account in rules:
                        if words in payee:
                            return account
                    return UNKNOWN
                """,
            ),
            edit(
                "ledger/cli.py",
                """
                 def statement(journal: Journal, options: argparse.Namespace) -> str:
                +    rules = _rules(options.rules) if options.rules else ()
                     with options.statement.open(encoding="utf-8", newline="") as lines:
                -        return "\\n".join(f"{one.day} {one.payee}" for one in read_statement(lines))
                +        return "\\n".join(f"{one.day} {one.payee}" for one in read_statement(lines, rules))
                +
                +
                +def _rules(path: Path) -> list[tuple[str, str]]:
                +    lines = path.read_text(encoding="utf-8").splitlines()
                +    pairs = (line.split("=", 1) for line in lines if "=" in line)
                +    return [(words.strip(), account.strip()) for words, account in pairs]
                @@
                     command.add_argument("statement", type=Path)
                +    command.add_argument("--rules", type=Path, help="lines of WORDS=ACCOUNT")
                     command.set_defaults(run=statement)
                """,
            ),
        )
        main.commit(
            JONAS,
            "Forgot to define Rules",
            edit(
                "ledger/bank.py",
                """
                -from collections.abc import Iterable
                +from collections.abc import Iterable, Sequence
                @@
                 HEADER = "Date;"
                +
                +Rules = Sequence[tuple[str, str]]
                """,
            ),
        )
        main.commit(
            PRIYA,
            "Skip rows that are in the journal already; print the rest as a journal",
            edit(
                "ledger/bank.py",
                """
                -from ledger.entries import Posting, Transaction
                +from ledger.entries import Journal, Posting, Transaction
                """,
            ),
            append(
                "ledger/bank.py",
                '''
                def unseen(journal: Journal, statement: list[Transaction]) -> list[Transaction]:
                    """What the journal does not have yet, by day and amount in the bank's account."""
                    seen = {(one.day, posting) for one in journal.transactions for posting in one.postings}
                    return [one for one in statement if (one.day, one.postings[0]) not in seen]
                ''',
            ),
            edit(
                "ledger/cli.py",
                """
                -from ledger.bank import read_statement
                +from ledger.bank import read_statement, unseen
                @@
                -        return "\\n".join(f"{one.day} {one.payee}" for one in read_statement(lines, rules))
                +        found = unseen(journal, read_statement(lines, rules))
                +    return "\\n\\n".join(one.text() for one in found)
                """,
            ),
            edit(
                "ledger/entries.py",
                '''
                         return not total(posting.amount for posting in self.postings)

                +    def text(self) -> str:
                +        """As it stands in a journal."""
                +        lines = [f"{self.day} {self.payee}"]
                +        lines += [f"    {one.account:<24}  {one.amount!s:>10}" for one in self.postings]
                +        return "\\n".join(lines)
                +
                ''',
            ),
        )
        main.commit(
            PRIYA,
            "Compare payees without regard to case",
            edit(
                "ledger/bank.py",
                """
                     for words, account in rules:
                -        if words in payee:
                +        if words.casefold() in payee.casefold():
                             return account
                """,
            ),
        )
    main.commit(
        JONAS,
        "Explain the bank import in the README",
        append(
            "README.md",
            """
            Bank statements become transactions, with rules to guess the account:

                python -m ledger import club.journal march.csv --rules bank.rules
            """,
            blank=1,
        ),
    )
