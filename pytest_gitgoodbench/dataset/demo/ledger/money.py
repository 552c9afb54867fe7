"""Two changes of how amounts are read meet: several files, several hunks, both are wanted."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import append, edit
from pytest_gitgoodbench.dataset.demo.ledger.people import JONAS, MARA, PRIYA
from pytest_gitgoodbench.dataset.demo.story import Branch

THOUSANDS_TEST = """
    def test_thousands_may_be_grouped():
        assert parse_money("1'250.00") == Money(125000)
        assert parse_money("12 000") == Money(1200000)
    """

PRECISION_TEST = """
    def test_there_are_no_half_cents():
        with pytest.raises(MoneyError, match="two decimals"):
            parse_money("0.125")
    """


def tell(main: Branch) -> None:
    """Priya reads the Swiss treasurer's journal while Jonas makes reading stricter."""
    grouped = main.branch("grouped-amounts")
    grouped.commit(
        PRIYA,
        "Read amounts with grouped thousands",
        edit(
            "ledger/money.py",
            '''
             class MoneyError(ValueError):
                 """An amount that cannot be read."""

            +
            +GROUPING = str.maketrans("", "", "' \\u2019\\u202f")
            +
            @@
            -    """Read an amount such as `12`, `12.5` or `-12.50`."""
            +    """Read an amount such as `12`, `12.5` or `1'250.00`."""
                 try:
            -        amount = Decimal(text.strip())
            +        amount = Decimal(text.translate(GROUPING))
                 except InvalidOperation:
            ''',
        ),
        append("tests/test_money.py", THOUSANDS_TEST),
    )
    grouped.commit(
        PRIYA,
        "Say which line an amount that cannot be read is in",
        edit(
            "ledger/parser.py",
            """
            -from ledger.money import parse_money
            +from ledger.money import MoneyError, parse_money
            @@
            -    return Posting(account.strip(), parse_money(amount))
            +    try:
            +        return Posting(account.strip(), parse_money(amount))
            +    except MoneyError as error:
            +        raise ParseError(number, str(error)) from None
            """,
        ),
    )
    main.commit(
        JONAS,
        """
        Refuse amounts with fractions of a cent

        int() cut them off, so 0.125 + 0.125 was 0.24 in the balance. Found by
        the auditors, of all people.
        """,
        edit(
            "ledger/money.py",
            '''
            -    """Read an amount such as `12`, `12.5` or `-12.50`."""
            +    """Read an amount such as `12`, `12.5` or `-12.50`; no more than two decimals."""
                 try:
            -        amount = Decimal(text.strip())
            +        cents = Decimal(text.strip()) * 100
                 except InvalidOperation:
                     raise MoneyError(f"not an amount: {text!r}") from None
            -    return Money(int(amount * 100))
            +    if cents != cents.to_integral_value():
            +        raise MoneyError(f"more than two decimals: {text!r}")
            +    return Money(int(cents))
            ''',
        ),
        append("tests/test_money.py", PRECISION_TEST),
    )
    main.commit(
        MARA,
        "Let accounts be compared without regard to case",
        edit(
            "ledger/parser.py",
            """
            -    return Posting(account.strip(), parse_money(amount))
            +    return Posting(account.strip().lower(), parse_money(amount))
            """,
        ),
    )
    main.merge(
        grouped,
        JONAS,
        "Merge branch 'grouped-amounts'",
        edit(
            "ledger/money.py",
            '''
             class MoneyError(ValueError):
                 """An amount that cannot be read."""

            +
            +GROUPING = str.maketrans("", "", "' \\u2019\\u202f")
            +
            @@
            -    """Read an amount such as `12`, `12.5` or `-12.50`; no more than two decimals."""
            +    """Read an amount such as `12`, `12.5` or `1'250.00`; no more than two decimals."""
                 try:
            -        cents = Decimal(text.strip()) * 100
            +        cents = Decimal(text.translate(GROUPING)) * 100
            ''',
        ),
        edit(
            "ledger/parser.py",
            """
            -from ledger.money import parse_money
            +from ledger.money import MoneyError, parse_money
            @@
            -    return Posting(account.strip().lower(), parse_money(amount))
            +    try:
            +        return Posting(account.strip().lower(), parse_money(amount))
            +    except MoneyError as error:
            +        raise ParseError(number, str(error)) from None
            """,
        ),
        append("tests/test_money.py", THOUSANDS_TEST),
    )
