"""Rules that combine others: four commits, as much beside their file as in it, one a fix-up."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import append, edit, new
from pytest_gitgoodbench.dataset.demo.greenhouse.people import MAIN, OLU, SAMIR, TEST
from pytest_gitgoodbench.dataset.demo.story import Branch

FILE = f"{MAIN}/Rule.kt"
RULE_TEST = f"{TEST}/RuleTest.kt"

TESTS = """
    package greenhouse

    import java.time.Instant
    import kotlin.test.Test
    import kotlin.test.assertFalse
    import kotlin.test.assertTrue

    class RuleTest {
        private val readings = Readings()

        private fun measured(quantity: Quantity, value: Double) =
            readings.add(Reading(quantity, value, Instant.EPOCH))

        @Test
        fun `both rules have to agree`() {
            val rule = Above(Quantity.TEMPERATURE, 20.0) and Below(Quantity.HUMIDITY, 60.0)
            measured(Quantity.TEMPERATURE, 25.0)
            assertFalse(rule.wants(readings, false))
            measured(Quantity.HUMIDITY, 50.0)
            assertTrue(rule.wants(readings, false))
        }
    }
    """


def tell(main: Branch) -> None:
    """All on main."""
    with main.chain(FILE):
        main.commit(
            SAMIR,
            "Rules can be combined with and, or, not",
            append(
                FILE,
                """
                /** Runs when both want it. */
                private data class Both(val one: Rule, val other: Rule) : Rule() {
                    override fun wants(readings: Readings, running: Boolean) =
                        one.wants(readings, running) && other.wants(readings, running)
                }

                /** Runs when one of them wants it. */
                private data class Either(val one: Rule, val other: Rule) : Rule() {
                    override fun wants(readings: Readings, running: Boolean) =
                        one.wants(readings, running) || other.wants(readings, running)
                }

                infix fun Rule.and(other: Rule): Rule = Both(this, other)

                infix fun Rule.or(other: Rule): Rule = Either(this, other)
                """,
                blank=1,
            ),
            new(RULE_TEST, TESTS),
        )
        main.commit(
            OLU,
            "Each rule may have its own hysteresis",
            edit(
                FILE,
                """
                -data class Above(val quantity: Quantity, val limit: Double) : Rule() {
                +data class Above(
                +    val quantity: Quantity,
                +    val limit: Double,
                +    val slack: Double = HYSTERESIS,
                +) : Rule() {
                @@
                -        return value > if (running) limit - HYSTERESIS else limit
                +        return value > if (running) limit - slack else limit
                @@
                -data class Below(val quantity: Quantity, val limit: Double) : Rule() {
                +data class Below(
                +    val quantity: Quantity,
                +    val limit: Double,
                +    val slack: Double = HYSTERESIS,
                +) : Rule() {
                @@
                -        return value < if (running) limit + HYSTERESIS else limit
                +        return value < if (running) limit + slack else limit
                """,
            ),
        )
        main.commit(
            SAMIR,
            "Add the missing not",
            edit(
                FILE,
                """
                 infix fun Rule.or(other: Rule): Rule = Either(this, other)
                +
                +operator fun Rule.not(): Rule = Not(this)
                """,
            ),
            edit(
                FILE,
                """
                +/** Runs when the other does not want it. */
                +private data class Not(val rule: Rule) : Rule() {
                +    override fun wants(readings: Readings, running: Boolean) =
                +        !rule.wants(readings, !running)
                +}
                +
                 infix fun Rule.and(other: Rule): Rule = Both(this, other)
                """,
            ),
            edit(
                RULE_TEST,
                """
                         measured(Quantity.HUMIDITY, 50.0)
                         assertTrue(rule.wants(readings, false))
                     }
                +
                +    @Test
                +    fun `not turns a rule around`() {
                +        measured(Quantity.TEMPERATURE, 25.0)
                +        assertFalse((!Above(Quantity.TEMPERATURE, 20.0)).wants(readings, false))
                +        assertTrue((!Above(Quantity.TEMPERATURE, 30.0)).wants(readings, false))
                +    }
                """,
            ),
        )
        main.commit(
            OLU,
            "Print rules as they are written, list them with the devices",
            edit(
                FILE,
                """
                         return value > if (running) limit - slack else limit
                     }
                +
                +    override fun toString() = "$quantity > $limit"
                 }
                @@
                         return value < if (running) limit + slack else limit
                     }
                +
                +    override fun toString() = "$quantity < $limit"
                 }
                @@
                         one.wants(readings, running) && other.wants(readings, running)
                +
                +    override fun toString() = "($one and $other)"
                 }
                @@
                         one.wants(readings, running) || other.wants(readings, running)
                +
                +    override fun toString() = "($one or $other)"
                 }
                """,
            ),
            edit(
                f"{MAIN}/Controller.kt",
                """
                     /** Switches everything off. */
                     fun stop() {
                         for (device in running.toList()) set(device, false)
                     }
                +
                +    /** What runs when, a line for each device. */
                +    fun describe(): String = Device.values().joinToString("\\n") { device ->
                +        "$device: ${rules[device] ?: "never"}${if (device in running) " (running)" else ""}"
                +    }
                """,
            ),
        )
