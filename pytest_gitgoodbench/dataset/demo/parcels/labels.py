"""Labels: a helper that one side deletes and the other repairs, in a file with Windows line ends."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import edit
from pytest_gitgoodbench.dataset.demo.parcels.people import INGRID, MAIN, TOMAS, WEI
from pytest_gitgoodbench.dataset.demo.story import Branch

FILE = f"{MAIN}/LabelPrinter.java"


def tell(master: Branch) -> None:
    """The merge wraps lines instead of cutting them, and keeps the repaired centering."""
    wrapping = master.branch("tomas/wrap-lines")
    wrapping.commit(
        TOMAS,
        "Wrap long lines on labels instead of cutting them",
        edit(
            FILE,
            """
                     List<String> lines = new ArrayList<>();
            -        lines.add(cut("From: " + sender));
            +        lines.addAll(wrap("From: " + sender));
                     lines.add(rule());
            -        lines.add(cut(to.name()));
            -        lines.add(cut(to.street()));
            -        lines.add(cut(to.postcode() + " " + to.town()));
            +        lines.addAll(wrap(to.name()));
            +        lines.addAll(wrap(to.street()));
            +        lines.addAll(wrap(to.postcode() + " " + to.town()));
                     lines.add(rule());
            @@
            -    private static String cut(String text) {
            -        return text.length() <= COLUMNS ? text : text.substring(0, COLUMNS);
            +    private static List<String> wrap(String text) {
            +        List<String> lines = new ArrayList<>();
            +        String rest = text;
            +        while (rest.length() > COLUMNS) {
            +            int blank = rest.lastIndexOf(' ', COLUMNS);
            +            int end = blank > 0 ? blank : COLUMNS;
            +            lines.add(rest.substring(0, end));
            +            rest = rest.substring(end).trim();
            +        }
            +        lines.add(rest);
            +        return lines;
                 }
            """,
        ),
    )
    master.commit(
        WEI,
        "Print the country on labels that go abroad",
        edit(
            FILE,
            """
            -    public LabelPrinter(String sender) {
            +    public LabelPrinter(String sender, String country) {
                     this.sender = sender;
            +        this.country = country;
                 }
            @@
                     lines.add(cut(to.postcode() + " " + to.town()));
            +        if (!to.country().equals(country)) {
            +            lines.add(cut(to.country().toUpperCase(Locale.ROOT)));
            +        }
                     lines.add(rule());
            """,
        ),
        edit(
            FILE,
            """
             import java.util.List;
            +import java.util.Locale;
            @@
                 private final String sender;
            +    private final String country;
            """,
        ),
    )
    master.commit(
        WEI,
        "Cut labels with an ellipsis, so that the postman sees there is more",
        edit(
            FILE,
            """
                 private static String cut(String text) {
            -        return text.length() <= COLUMNS ? text : text.substring(0, COLUMNS);
            +        return text.length() <= COLUMNS ? text : text.substring(0, COLUMNS - 1) + "…";
                 }
            """,
        ),
        edit(
            FILE,
            """
                 private static String center(String text) {
            -        int left = (COLUMNS - text.length()) / 2;
            +        int left = Math.max(0, COLUMNS - text.length()) / 2;
            """,
        ),
    )
    master.merge(
        wrapping,
        INGRID,
        """
        Merge pull request #14 from tomas/wrap-lines

        Wrap long lines on labels instead of cutting them. The ellipsis of #13 is
        not needed any more.
        """,
        edit(
            FILE,
            """
            -        lines.add(cut("From: " + sender));
            +        lines.addAll(wrap("From: " + sender));
                     lines.add(rule());
            -        lines.add(cut(to.name()));
            -        lines.add(cut(to.street()));
            -        lines.add(cut(to.postcode() + " " + to.town()));
            +        lines.addAll(wrap(to.name()));
            +        lines.addAll(wrap(to.street()));
            +        lines.addAll(wrap(to.postcode() + " " + to.town()));
                     if (!to.country().equals(country)) {
            -            lines.add(cut(to.country().toUpperCase(Locale.ROOT)));
            +            lines.addAll(wrap(to.country().toUpperCase(Locale.ROOT)));
                     }
            @@
            -    private static String cut(String text) {
            -        return text.length() <= COLUMNS ? text : text.substring(0, COLUMNS - 1) + "…";
            +    private static List<String> wrap(String text) {
            +        List<String> lines = new ArrayList<>();
            +        String rest = text;
            +        while (rest.length() > COLUMNS) {
            +            int blank = rest.lastIndexOf(' ', COLUMNS);
            +            int end = blank > 0 ? blank : COLUMNS;
            +            lines.add(rest.substring(0, end));
            +            rest = rest.substring(end).trim();
            +        }
            +        lines.add(rest);
            +        return lines;
                 }
            """,
        ),
    )
