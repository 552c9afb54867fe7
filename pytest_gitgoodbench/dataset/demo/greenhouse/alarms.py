"""Alarms: two sides rework one class; a file whose last line has no line end stays like that."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import edit
from pytest_gitgoodbench.dataset.demo.greenhouse.people import LENA, MAIN, OLU, SAMIR
from pytest_gitgoodbench.dataset.demo.story import Branch

FILE = f"{MAIN}/Alarms.kt"


def tell(main: Branch) -> None:
    """One alarm an hour against alarms with a level."""
    quiet = main.branch("quiet-alarms")
    quiet.commit(
        OLU,
        "Send the same alarm only once an hour",
        edit(
            FILE,
            """
             package greenhouse

            +import java.time.Duration
            +import java.time.Instant
            +
             /** Tells the gardeners when something is wrong. */
            @@
                 private val limits = mutableMapOf<Quantity, ClosedRange<Double>>()
            +    private val sent = mutableMapOf<Quantity, Instant>()
            @@
                     val range = limits[reading.quantity] ?: return
            -        if (reading.value !in range) {
            -            send("Alarm: $reading")
            -        }
            +        if (reading.value in range || recent(reading)) return
            +        sent[reading.quantity] = reading.at
            +        send("Alarm: $reading")
                 }

            +    private fun recent(reading: Reading): Boolean {
            +        val last = sent[reading.quantity] ?: return false
            +        return Duration.between(last, reading.at) < Duration.ofHours(1)
            +    }
            +
            """,
        ),
    )
    main.commit(
        SAMIR,
        "Distinguish warnings from alarms",
        edit(
            FILE,
            """
             package greenhouse

            +import kotlin.math.max
            +
             /** Tells the gardeners when something is wrong. */
            -class Alarms(private val send: (String) -> Unit) {
            +class Alarms(private val tolerance: Double = 2.0, private val send: (String) -> Unit) {
            @@
                     val range = limits[reading.quantity] ?: return
                     if (reading.value !in range) {
            -            send("Alarm: $reading")
            +            val excess = max(range.start - reading.value, reading.value - range.endInclusive)
            +            send(if (excess > tolerance) "Alarm: $reading" else "Warning: $reading")
                     }
            """,
        ),
    )
    main.merge(
        quiet,
        LENA,
        """
        Merge branch 'quiet-alarms'

        Warnings are sent once an hour, alarms whenever there is one: somebody has
        to get up for them.
        """,
        edit(
            FILE,
            """
             package greenhouse

            +import java.time.Duration
            +import java.time.Instant
             import kotlin.math.max
            @@
                 private val limits = mutableMapOf<Quantity, ClosedRange<Double>>()
            +    private val sent = mutableMapOf<Quantity, Instant>()
            @@
                     val range = limits[reading.quantity] ?: return
            -        if (reading.value !in range) {
            -            val excess = max(range.start - reading.value, reading.value - range.endInclusive)
            -            send(if (excess > tolerance) "Alarm: $reading" else "Warning: $reading")
            -        }
            +        if (reading.value in range) return
            +        val excess = max(range.start - reading.value, reading.value - range.endInclusive)
            +        if (excess <= tolerance && recent(reading)) return
            +        sent[reading.quantity] = reading.at
            +        send(if (excess > tolerance) "Alarm: $reading" else "Warning: $reading")
                 }

            +    private fun recent(reading: Reading): Boolean {
            +        val last = sent[reading.quantity] ?: return false
            +        return Duration.between(last, reading.at) < Duration.ofHours(1)
            +    }
            +
            """,
        ),
    )
