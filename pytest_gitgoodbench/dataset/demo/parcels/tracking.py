"""Tracking numbers: a chain of small repairs, and a hotfix on a release branch that master did better."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import edit, new, theirs
from pytest_gitgoodbench.dataset.demo.parcels.people import HANNAH, INGRID, MAIN, TEST, WEI
from pytest_gitgoodbench.dataset.demo.story import Branch

FILE = f"{MAIN}/TrackingNumber.java"

TRACKING_TEST = """
    package dev.parcels;

    import static org.junit.Assert.assertEquals;

    import org.junit.Test;

    public class TrackingNumberTest {
        @Test
        public void theCheckDigitIsOneDigit() {
            for (int serial = 0; serial < 1000; serial++) {
                TrackingNumber number = TrackingNumber.of("RR", serial);
                assertEquals(number, TrackingNumber.parse(number.toString()));
            }
        }
    }
    """


def tell(master: Branch) -> None:
    """The release branch was deleted after the release: its merge is on no branch."""
    release = master.branch("release/1.0")
    release.commit(
        HANNAH,
        """
        Hotfix: no tracking numbers that end in 10 or 11

        A customer got RR0000000711, which no carrier can scan.
        """,
        edit(
            FILE,
            """
                     for (int i = 0; i < WEIGHTS.length; i++) {
                         sum += WEIGHTS[i] * (digits.charAt(i) - '0');
                     }
            -        return 11 - sum % 11;
            +        return Math.min(11 - sum % 11, 9);
                 }
            """,
        ),
    )
    master.commit(
        WEI,
        """
        Follow the UPU's rule for check digits

        S10 says 10 becomes 0 and 11 becomes 5. Fixes #3.
        """,
        edit(
            FILE,
            """
            -        return 11 - sum % 11;
            +        int check = 11 - sum % 11;
            +        if (check == 10) {
            +            return 0;
            +        }
            +        return check == 11 ? 5 : check;
                 }
            """,
        ),
        new(f"{TEST}/TrackingNumberTest.java", TRACKING_TEST),
    )
    release.merge(master, HANNAH, "Merge branch 'master' into release/1.0", theirs(FILE))
    release.delete()
    with master.chain(FILE):
        master.commit(
            WEI,
            "Ignore blanks in typed numbers",
            edit(
                FILE,
                """
                -    public static TrackingNumber parse(String text) {
                +    public static TrackingNumber parse(String typed) {
                +        String text = typed.replace(" ", "");
                         if (text.length() != LENGTH) {
                """,
            ),
        )
        master.commit(
            INGRID,
            "Tracking: say what is wrong with a carrier, and refuse serial numbers with nine digits",
            edit(
                FILE,
                """
                     public static TrackingNumber of(String carrier, int serial) {
                +        if (carrier.length() != 2) {
                +            throw new IllegalArgumentException("a carrier has two letters: " + carrier);
                +        }
                +        if (serial < 0 || serial >= LIMIT) {
                +            throw new IllegalArgumentException("not a serial number: " + serial);
                +        }
                         String digits = String.format("%08d", serial);
                """,
            ),
            edit(
                FILE,
                """
                     private static final int LENGTH = 11;
                +    private static final int LIMIT = 100_000_000;
                """,
            ),
        )
        master.commit(
            WEI,
            "Accept lower case too",
            edit(
                FILE,
                """
                -        String text = typed.replace(" ", "");
                +        String text = typed.replace(" ", "").toUpperCase(Locale.ROOT);
                """,
            ),
            edit(
                FILE,
                """
                +import java.util.Locale;
                 import java.util.Objects;
                """,
            ),
            edit(
                FILE,
                """
                     @Override
                     public String toString() {
                -        return text;
                +        return text.substring(0, 2) + " " + text.substring(2);
                     }
                """,
            ),
        )
