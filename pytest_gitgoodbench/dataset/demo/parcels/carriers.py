"""Tariffs of real carriers: six hasty commits on one class, with as much going on around it."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import edit, new
from pytest_gitgoodbench.dataset.demo.parcels.people import INGRID, MAIN, TEST, WEI
from pytest_gitgoodbench.dataset.demo.story import Branch

TARIFF = f"{MAIN}/Tariff.java"
TARIFF_TEST = f"{TEST}/TariffTest.java"

NO_RATE = """
    package dev.parcels;

    /** A carrier does not take a parcel. */
    public class NoRateException extends RuntimeException {
        private final String carrier;

        public NoRateException(String carrier, String reason) {
            super(carrier + ": " + reason);
            this.carrier = carrier;
        }

        public String carrier() {
            return carrier;
        }
    }
    """


def tell(master: Branch) -> None:
    """Wei pushes straight to master."""
    with master.chain(TARIFF):
        master.commit(
            WEI,
            "Read tariffs from properties",
            edit(
                TARIFF,
                """
                     public Tariff(String carrier) {
                         this.carrier = carrier;
                     }

                +    /** A tariff from lines such as {@code 1000=490}. */
                +    public static Tariff of(String carrier, Properties properties) {
                +        Tariff tariff = new Tariff(carrier);
                +        for (String grams : properties.stringPropertyNames()) {
                +            int cents = Integer.parseInt(properties.getProperty(grams));
                +            tariff.rate(Integer.parseInt(grams), cents);
                +        }
                +        return tarif;
                +    }
                +
                """,
            ),
            edit(
                TARIFF,
                """
                 import java.util.NavigableMap;
                +import java.util.Properties;
                 import java.util.TreeMap;
                """,
            ),
        )
        master.commit(
            WEI,
            "typo",
            edit(
                TARIFF,
                """
                -        return tarif;
                +        return tariff;
                """,
            ),
        )
        master.commit(
            WEI,
            "An exception of our own for parcels that a carrier does not take",
            new(f"{MAIN}/NoRateException.java", NO_RATE),
            edit(
                TARIFF,
                """
                -    private IllegalArgumentException refused(String why) {
                -        return new IllegalArgumentException(carrier + ": " + why);
                +    private NoRateException refused(String why) {
                +        return new NoRateException(carrier, why);
                """,
            ),
        )
        master.commit(
            INGRID,
            "Each carrier has its own limit of size",
            edit(
                TARIFF,
                """
                     private final NavigableMap<Integer, Integer> rates = new TreeMap<>();
                     private final String carrier;
                +    private int maxGirth = MAX_GIRTH;
                @@
                +    /** Sets the limit of length plus girth in millimetres. */
                +    public Tariff limit(int girth) {
                +        maxGirth = girth;
                +        return this;
                +    }
                +
                     /** Adds a price in cents; returns this table, so that calls can be chained. */
                @@
                -        if (parcel.girth() > MAX_GIRTH) {
                -            throw refused(parcel.girth() + " mm around, " + MAX_GIRTH + " are allowed");
                +        if (parcel.girth() > maxGirth) {
                +            throw refused(parcel.girth() + " mm around, " + maxGirth + " are allowed");
                """,
            ),
            edit(
                TARIFF_TEST,
                """
                     @Test
                     public void tooHeavyIsNotAccepted() {
                         assertFalse(rates.accepts(new Parcel(200, 150, 100, 5001)));
                     }
                +
                +    @Test
                +    public void tooLargeIsRefused() {
                +        Parcel parcel = new Parcel(200, 150, 100, 900);
                +        rates.limit(600);
                +        assertThrows(NoRateException.class, () -> rates.price(parcel, HOME));
                +    }
                """,
            ),
            edit(
                TARIFF_TEST,
                """
                 import static org.junit.Assert.assertFalse;
                +import static org.junit.Assert.assertThrows;
                """,
            ),
        )
        master.commit(
            WEI,
            "accepts() has to know the limit, too",
            edit(
                TARIFF,
                """
                -        return parcel.girth() <= MAX_GIRTH && rates.ceilingEntry(parcel.grams()) != null;
                +        return parcel.girth() <= maxGirth && rates.ceilingEntry(parcel.grams()) != null;
                """,
            ),
            edit(
                TARIFF_TEST,
                """
                         rates.limit(600);
                         assertThrows(NoRateException.class, () -> rates.price(parcel, HOME));
                +        assertFalse(rates.accepts(parcel));
                +        rates.limit(700);
                +        assertTrue(rates.accepts(parcel));
                """,
            ),
            edit(
                TARIFF_TEST,
                """
                 import static org.junit.Assert.assertThrows;
                +import static org.junit.Assert.assertTrue;
                """,
            ),
        )
        master.commit(
            WEI,
            "Sort methods, name the islands, no change of behaviour",
            edit(
                TARIFF,
                """
                -    /** Sets the limit of length plus girth in millimetres. */
                -    public Tariff limit(int girth) {
                -        maxGirth = girth;
                -        return this;
                -    }
                -
                     /** Adds a price in cents; returns this table, so that calls can be chained. */
                     public Tariff rate(int upToGrams, int cents) {
                         rates.put(upToGrams, cents);
                         return this;
                     }

                +    /** Sets the limit of length plus girth in millimetres. */
                +    public Tariff limit(int girth) {
                +        maxGirth = girth;
                +        return this;
                +    }
                +
                """,
            ),
            edit(
                f"{MAIN}/Surcharges.java",
                """
                -    private static final Set<String> ISLANDS = Set.of("25849", "26465", "27498");
                -    private static final int ISLAND_CENTS = 1250;
                +    private static final int ISLAND_CENTS = 1250;
                +    private static final Set<String> ISLANDS =
                +            Set.of(
                +                    "25849", // Pellworm
                +                    "26465", // Langeoog
                +                    "27498"); // Helgoland
                """,
            ),
        )
