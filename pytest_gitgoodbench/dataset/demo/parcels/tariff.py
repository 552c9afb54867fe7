"""The rate table becomes a tariff: renamed on a branch while master edits it and its callers."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import Edit, delete, edit, move, new
from pytest_gitgoodbench.dataset.demo.parcels.people import HANNAH, MAIN, TEST, TOMAS
from pytest_gitgoodbench.dataset.demo.story import Branch

RATES = f"{MAIN}/RateTable.java"
TARIFF = f"{MAIN}/Tariff.java"
CHECKOUT = f"{MAIN}/Checkout.java"
RATES_TEST = f"{TEST}/RateTableTest.java"
TARIFF_TEST = f"{TEST}/TariffTest.java"

SURCHARGES = """
    package dev.parcels;

    import java.util.Set;

    /** What is added to a price. */
    final class Surcharges {
        private static final Set<String> ISLANDS = Set.of("25849", "26465", "27498");
        private static final int ISLAND_CENTS = 1250;

        private Surcharges() {}

        static int cents(Address to) {
            return ISLANDS.contains(to.postcode()) ? ISLAND_CENTS : 0;
        }
    }
    """


def rename() -> list[Edit]:
    """RateTable is called Tariff, and everything that uses it says so."""
    return [
        move(RATES, TARIFF),
        edit(
            TARIFF,
            """
            -/** Prices in cents by weight: a parcel costs what the next heavier entry says. */
            -public final class RateTable {
            +/** A carrier's prices in cents by weight: a parcel costs what the next heavier entry says. */
            +public final class Tariff {
            @@
            -    public RateTable rate(int upToGrams, int cents) {
            +    public Tariff rate(int upToGrams, int cents) {
            """,
        ),
        move(RATES_TEST, TARIFF_TEST),
        edit(
            TARIFF_TEST,
            """
            -public class RateTableTest {
            -    private final RateTable rates = new RateTable().rate(1000, 490).rate(5000, 790);
            +public class TariffTest {
            +    private final Tariff rates = new Tariff("Test").rate(1000, 490).rate(5000, 790);
            """,
        ),
        edit(
            f"{TEST}/CheckoutTest.java",
            """
            -        Checkout checkout = new Checkout(new RateTable().rate(1000, 490), 2000);
            +        Checkout checkout = new Checkout(new Tariff("Test").rate(1000, 490), 2000);
            """,
        ),
    ]


def tell(master: Branch) -> None:
    """Rename against edit, in the class itself and in what calls it."""
    tariff = master.branch("tariff")
    tariff.commit(
        TOMAS,
        "Rename RateTable to Tariff: it has a carrier now",
        *rename(),
        edit(
            TARIFF,
            """
                 private final NavigableMap<Integer, Integer> rates = new TreeMap<>();
            +    private final String carrier;
            +
            +    public Tariff(String carrier) {
            +        this.carrier = carrier;
            +    }
            @@
                     if (parcel.girth() > MAX_GIRTH) {
            -            throw refused("too large: " + parcel.girth() + " mm");
            +            throw refused(parcel.girth() + " mm around, " + MAX_GIRTH + " are allowed");
            @@
            -    private static IllegalArgumentException refused(String why) {
            -        return new IllegalArgumentException(why);
            +    private IllegalArgumentException refused(String why) {
            +        return new IllegalArgumentException(carrier + ": " + why);
                 }
            """,
        ),
        edit(
            CHECKOUT,
            """
            -    private final RateTable rates;
            +    private final Tariff tariff;
            @@
            -    public Checkout(RateTable rates, int freeFromCents) {
            -        this.rates = Objects.requireNonNull(rates);
            +    public Checkout(Tariff tariff, int freeFromCents) {
            +        this.tariff = Objects.requireNonNull(tariff);
            @@
            -        return rates.price(parcel);
            +        return tariff.price(parcel);
            """,
        ),
    )
    master.commit(
        HANNAH,
        "Charge extra for islands",
        new(f"{MAIN}/Surcharges.java", SURCHARGES),
        edit(
            RATES,
            """
            -    /** The price of a parcel in cents. */
            -    public int price(Parcel parcel) {
            +    /** The price in cents of a parcel to an address. */
            +    public int price(Parcel parcel, Address to) {
                     if (parcel.girth() > MAX_GIRTH) {
            -            throw refused("too large: " + parcel.girth() + " mm");
            +            throw refused("too large: " + parcel.girth() + " of " + MAX_GIRTH + " mm");
                     }
            @@
            -        return rate.getValue();
            +        return rate.getValue() + Surcharges.cents(to);
            """,
        ),
        edit(
            CHECKOUT,
            """
            -    public int shipping(Parcel parcel, int goodsCents) {
            +    public int shipping(Parcel parcel, Address to, int goodsCents) {
            @@
            -        return rates.price(parcel);
            +        return rates.price(parcel, to);
            @@
            -    public int total(Parcel parcel, int goodsCents, int voucherCents) {
            +    public int total(Parcel parcel, Address to, int goodsCents, int voucherCents) {
            @@
            -        return rest + shipping(parcel, rest);
            +        return rest + shipping(parcel, to, rest);
            """,
        ),
        edit(
            f"{TEST}/CheckoutTest.java",
            """
                 public void vouchersDoNotMakeShippingFree() {
            +        Address home = new Address("A. Weber", "Am Markt 1", "28195", "Bremen", "Germany");
            @@
            -        assertEquals(1990, checkout.total(new Parcel(200, 150, 100, 800), 2500, 1000));
            +        assertEquals(1990, checkout.total(new Parcel(200, 150, 100, 800), home, 2500, 1000));
            """,
        ),
        edit(
            RATES_TEST,
            """
             public class RateTableTest {
            +    private static final Address HOME =
            +            new Address("A. Weber", "Am Markt 1", "28195", "Bremen", "Germany");
            +
            @@
            -        assertEquals(490, rates.price(new Parcel(200, 150, 100, 1000)));
            -        assertEquals(790, rates.price(new Parcel(200, 150, 100, 1001)));
            +        assertEquals(490, rates.price(new Parcel(200, 150, 100, 1000), HOME));
            +        assertEquals(790, rates.price(new Parcel(200, 150, 100, 1001), HOME));
            """,
        ),
    )
    master.merge(
        tariff,
        TOMAS,
        "Merge branch 'tariff'",
        delete(RATES),
        edit(
            TARIFF,
            """
            -    /** The price of a parcel in cents. */
            -    public int price(Parcel parcel) {
            +    /** The price in cents of a parcel to an address. */
            +    public int price(Parcel parcel, Address to) {
            @@
            -        return rate.getValue();
            +        return rate.getValue() + Surcharges.cents(to);
            """,
        ),
        edit(
            CHECKOUT,
            """
            -    private final RateTable rates;
            +    private final Tariff tariff;
            @@
            -    public Checkout(RateTable rates, int freeFromCents) {
            -        this.rates = Objects.requireNonNull(rates);
            +    public Checkout(Tariff tariff, int freeFromCents) {
            +        this.tariff = Objects.requireNonNull(tariff);
            @@
            -        return rates.price(parcel, to);
            +        return tariff.price(parcel, to);
            """,
        ),
        delete(RATES_TEST),
        edit(
            TARIFF_TEST,
            """
             public class TariffTest {
            +    private static final Address HOME =
            +            new Address("A. Weber", "Am Markt 1", "28195", "Bremen", "Germany");
            +
            @@
            -        assertEquals(490, rates.price(new Parcel(200, 150, 100, 1000)));
            -        assertEquals(790, rates.price(new Parcel(200, 150, 100, 1001)));
            +        assertEquals(490, rates.price(new Parcel(200, 150, 100, 1000), HOME));
            +        assertEquals(790, rates.price(new Parcel(200, 150, 100, 1001), HOME));
            """,
        ),
        edit(
            f"{TEST}/CheckoutTest.java",
            """
            -        Checkout checkout = new Checkout(new RateTable().rate(1000, 490), 2000);
            +        Checkout checkout = new Checkout(new Tariff("Test").rate(1000, 490), 2000);
            """,
        ),
    )
