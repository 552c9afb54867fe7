"""A schedule for lamps, in four commits on nothing but its class."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import edit, new
from pytest_gitgoodbench.dataset.demo.greenhouse.people import MAIN, OLU, SAMIR
from pytest_gitgoodbench.dataset.demo.story import Branch

FILE = f"{MAIN}/Schedule.kt"

SCHEDULE = """
    package greenhouse

    import java.time.LocalTime

    /** From when to when. */
    data class Span(val from: LocalTime, val to: LocalTime)

    /** The times of day at which devices run. */
    class Schedule {
        private val spans = mutableMapOf<Device, Span>()

        fun daily(device: Device, from: LocalTime, to: LocalTime) {
            spans[device] = Span(from, to)
        }

        fun runs(device: Device, time: LocalTime): Boolean {
            val span = spans[device] ?: return false
            return time >= span.from && time < span.to
        }
    }
    """


def tell(main: Branch) -> None:
    """Lamps at night show that a day has two ends."""
    main.commit(OLU, "Add a daily schedule", new(FILE, SCHEDULE))
    with main.chain(FILE):
        main.commit(
            OLU,
            "Fix schedule",
            edit(
                FILE,
                """
                -/** From when to when. */
                -data class Span(val from: LocalTime, val to: LocalTime)
                +/** From when to when; may go over midnight. */
                +data class Span(val from: LocalTime, val to: LocalTime) {
                +    operator fun contains(time: LocalTime): Boolean =
                +        if (from < to) time >= from && time < to else time >= from || time < to
                +}
                @@
                         val span = spans[device] ?: return false
                -        return time >= span.from && time < span.to
                +        return time in span
                """,
            ),
        )
        main.commit(
            OLU,
            "Several spans a day",
            edit(
                FILE,
                """
                -    private val spans = mutableMapOf<Device, Span>()
                +    private val spans = mutableMapOf<Device, MutableList<Span>>()
                @@
                -        spans[device] = Span(from, to)
                +        spans.getOrPut(device) { mutableListOf() } += Span(from, to)
                @@
                -        val span = spans[device] ?: return false
                -        return time in span
                +        return spans[device]?.any { time in it } ?: false
                """,
            ),
        )
        main.commit(
            SAMIR,
            "Print the schedule",
            edit(
                FILE,
                """
                +    override fun toString() = "$from-$to"
                +
                     operator fun contains(time: LocalTime): Boolean =
                @@
                         return spans[device]?.any { time in it } ?: false
                     }
                +
                +    override fun toString() = spans.entries.joinToString("\\n") { (device, spans) ->
                +        "$device: ${spans.joinToString(", ")}"
                +    }
                """,
            ),
        )
        main.commit(
            OLU,
            "Fix schedule",
            edit(
                FILE,
                """
                -/** From when to when; may go over midnight. */
                +/** From when (inclusive) to when (exclusive); may go over midnight, not around the clock. */
                 data class Span(val from: LocalTime, val to: LocalTime) {
                +    init {
                +        require(from != to) { "a span of no length: $from" }
                +    }
                +
                """,
            ),
        )
