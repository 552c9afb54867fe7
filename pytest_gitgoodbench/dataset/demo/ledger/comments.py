"""Comments in journals: worked on in small "wip" steps on a branch that was squashed and deleted."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import edit
from pytest_gitgoodbench.dataset.demo.ledger.people import JONAS, MARA
from pytest_gitgoodbench.dataset.demo.story import Branch

SKIP_COMMENTS = """
             if not line.strip():
                 continue
    +        if line[0] in COMMENT_MARKS:
    +            continue
             if line.startswith(" "):
    """

STRIP_COMMENTS = """
    -            postings.append(_posting(number, line))
    +            postings.append(_posting(number, _without_comment(line)))
                 continue
    @@
    +def _without_comment(line: str) -> str:
    +    # Two blanks before the mark, so that "Bikes; repairs" stays an account.
    +    return line.partition("  ;")[0]
    +
    +
     def _posting(number: int, line: str) -> Posting:
    """

MARKS = """
     from ledger.money import parse_money

    +COMMENT_MARKS = ";#"
    +

     class ParseError(ValueError):
    """

DOCSTRING = '''
    -    """Read a whole journal.
    +    """Read a whole journal. Lines that begin with `;` or `#` are comments, and so is the end of a
    +    posting after two blanks and `;`.

         Raises:
    '''

TESTS = """
     def test_postings_keep_their_order():
         amounts = [posting.amount for posting in parse(RENT).postings()]
         assert amounts == [Money(12000), Money(-12000)]
    +
    +
    +def test_comments_are_skipped():
    +    text = "; opened in 2021\\n" + RENT.replace("120.00\\n", "120.00  ; paid late\\n", 1)
    +    assert parse(text) == parse(RENT)
    """


def tell(main: Branch) -> None:
    """The steps on the branch are what a chain sample shows; main got one commit."""
    topic = main.branch("jonas/comments")
    with topic.chain("ledger/parser.py"):
        topic.commit(
            JONAS,
            "wip",
            edit(
                "ledger/parser.py",
                """
                             continue
                +        if line[0] in ";#":
                +            continue
                         if line.startswith(" "):
                """,
            ),
        )
        topic.commit(JONAS, "wip", edit("ledger/parser.py", STRIP_COMMENTS))
        topic.commit(
            JONAS,
            "Name the comment marks, say in the docstring what a comment is",
            edit("ledger/parser.py", MARKS),
            edit("ledger/parser.py", DOCSTRING),
            edit(
                "ledger/parser.py",
                """
                -        if line[0] in ";#":
                +        if line[0] in COMMENT_MARKS:
                """,
            ),
        )
    main.commit(
        MARA,
        """
        Allow comments in journals (#7)

        * wip
        * wip
        * Name the comment marks, say in the docstring what a comment is
        """,
        edit("ledger/parser.py", MARKS),
        edit("ledger/parser.py", DOCSTRING),
        edit("ledger/parser.py", SKIP_COMMENTS),
        edit("ledger/parser.py", STRIP_COMMENTS),
        edit("tests/test_parser.py", TESTS),
    )
    topic.delete()
