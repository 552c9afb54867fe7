"""The checkout learns about vouchers: a branch with a class for tracing that came and went again."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import delete, edit, new
from pytest_gitgoodbench.dataset.demo.parcels.people import HANNAH, INGRID, MAIN, TEST
from pytest_gitgoodbench.dataset.demo.story import Branch

FILE = f"{MAIN}/Checkout.java"

TRACE = """
    package dev.parcels;

    /** Prints what is going on. Not for production! */
    final class Trace {
        private Trace() {}

        static int cents(String what, int cents) {
            System.err.println(what + ": " + cents);
            return cents;
        }
    }
    """

CHECKOUT_TEST = """
    package dev.parcels;

    import static org.junit.Assert.assertEquals;

    import org.junit.Test;

    public class CheckoutTest {
        @Test
        public void vouchersDoNotMakeShippingFree() {
            Checkout checkout = new Checkout(new RateTable().rate(1000, 490), 2000);
            assertEquals(1990, checkout.total(new Parcel(200, 150, 100, 800), 2500, 1000));
        }
    }
    """


def tell(master: Branch) -> None:
    """The branch was squashed; its own commits are reachable from nowhere."""
    vouchers = master.branch("vouchers")
    with vouchers.chain(FILE):
        vouchers.commit(
            HANNAH,
            "wip vouchers",
            edit(
                FILE,
                """
                     /** What is to be paid, in cents. */
                -    public int total(Parcel parcel, int goodsCents) {
                -        return goodsCents + shipping(parcel, goodsCents);
                +    public int total(Parcel parcel, int goodsCents, int voucherCents) {
                +        int rest = Trace.cents("rest", goodsCents - voucherCents);
                +        return rest + Trace.cents("shipping", shipping(parcel, goodsCents));
                     }
                """,
            ),
            new(f"{MAIN}/Trace.java", TRACE),
        )
        vouchers.commit(
            HANNAH,
            "wip vouchers",
            edit(
                FILE,
                """
                -    /** What is to be paid, in cents. */
                +    /** What is to be paid, in cents. A voucher pays for goods, not for shipping. */
                @@
                -        int rest = Trace.cents("rest", goodsCents - voucherCents);
                -        return rest + Trace.cents("shipping", shipping(parcel, goodsCents));
                +        int rest = Trace.cents("rest", Math.max(0, goodsCents - voucherCents));
                +        return rest + Trace.cents("shipping", shipping(parcel, rest));
                """,
            ),
        )
        vouchers.commit(
            HANNAH,
            "A negative voucher would be a surcharge: refuse it",
            edit(
                FILE,
                """
                     public int total(Parcel parcel, int goodsCents, int voucherCents) {
                +        if (voucherCents < 0) {
                +            throw new IllegalArgumentException("not a voucher: " + voucherCents);
                +        }
                """,
            ),
            edit(
                FILE,
                """
                -        this.rates = rates;
                +        this.rates = Objects.requireNonNull(rates);
                         this.freeFromCents = freeFromCents;
                """,
            ),
        )
        vouchers.commit(
            HANNAH,
            "remove tracing, add the missing import",
            edit(
                FILE,
                """
                 package dev.parcels;

                +import java.util.Objects;
                +
                @@
                -        int rest = Trace.cents("rest", Math.max(0, goodsCents - voucherCents));
                -        return rest + Trace.cents("shipping", shipping(parcel, rest));
                +        int rest = Math.max(0, goodsCents - voucherCents);
                +        return rest + shipping(parcel, rest);
                """,
            ),
            delete(f"{MAIN}/Trace.java"),
            edit(
                f"{MAIN}/RateTable.java",
                """
                -    /** Adds a price. */
                +    /** Adds a price in cents; returns this table, so that calls can be chained. */
                """,
            ),
        )
    master.commit(
        INGRID,
        "Take vouchers at the checkout (#9)",
        edit(
            FILE,
            """
             package dev.parcels;

            +import java.util.Objects;
            +
            @@
            -        this.rates = rates;
            +        this.rates = Objects.requireNonNull(rates);
            @@
            -    /** What is to be paid, in cents. */
            -    public int total(Parcel parcel, int goodsCents) {
            -        return goodsCents + shipping(parcel, goodsCents);
            +    /** What is to be paid, in cents. A voucher pays for goods, not for shipping. */
            +    public int total(Parcel parcel, int goodsCents, int voucherCents) {
            +        if (voucherCents < 0) {
            +            throw new IllegalArgumentException("not a voucher: " + voucherCents);
            +        }
            +        int rest = Math.max(0, goodsCents - voucherCents);
            +        return rest + shipping(parcel, rest);
                 }
            """,
        ),
        edit(
            f"{MAIN}/RateTable.java",
            """
            -    /** Adds a price. */
            +    /** Adds a price in cents; returns this table, so that calls can be chained. */
            """,
        ),
        new(f"{TEST}/CheckoutTest.java", CHECKOUT_TEST),
    )
    vouchers.delete()
