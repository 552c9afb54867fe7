"""How greenhouse began: readings, rules, a controller, alarms."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import new
from pytest_gitgoodbench.dataset.demo.greenhouse.people import LENA, MAIN, OLU, SAMIR, TEST
from pytest_gitgoodbench.dataset.demo.story import Branch, Story

README = """
    # greenhouse

    Switches heaters, vents, foggers and lamps by rules. Runs on the Raspberry Pi in
    house 2 of the botanical garden, and hopefully soon in the others.
    """

OVERVIEW = """
    # Gewächshäuser – Überblick

    | Haus | Pflanzen   | Temperatur | Feuchte |
    | ---- | ---------- | ---------- | ------- |
    | 1    | Sukkulenten | 12–28 °C  | 30 %    |
    | 2    | Orchideen   | 18–26 °C  | 70 %    |
    """

BUILD = """
    plugins {
        kotlin("jvm") version "1.6.10"
        application
    }

    repositories {
        mavenCentral()
    }

    dependencies {
        testImplementation(kotlin("test"))
    }
    """

READING = """
    package greenhouse

    import java.time.Instant

    /** What a sensor measures. */
    enum class Quantity(val unit: String) {
        TEMPERATURE("°C"),
        HUMIDITY("%"),
    }

    /** One measurement. */
    data class Reading(val quantity: Quantity, val value: Double, val at: Instant) {
        override fun toString() = "%.1f %s".format(value, quantity.unit)
    }

    /** Whether a value can be true, or the sensor must be broken. */
    fun plausible(reading: Reading): Boolean = when (reading.quantity) {
        Quantity.TEMPERATURE -> reading.value in -30.0..60.0
        Quantity.HUMIDITY -> reading.value in 0.0..100.0
    }

    /** The newest reading of each quantity. */
    class Readings {
        private val newest = mutableMapOf<Quantity, Reading>()

        fun add(reading: Reading) {
            val known = newest[reading.quantity]
            if (known == null || known.at <= reading.at) newest[reading.quantity] = reading
        }

        operator fun get(quantity: Quantity): Reading? = newest[quantity]
    }
    """

RULE = """
    package greenhouse

    /** Says when a device has to run. */
    sealed class Rule {
        abstract fun wants(readings: Readings, running: Boolean): Boolean
    }

    /** Runs while a quantity is above a limit. */
    data class Above(val quantity: Quantity, val limit: Double) : Rule() {
        override fun wants(readings: Readings, running: Boolean): Boolean {
            val value = readings[quantity]?.value ?: return false
            return value > if (running) limit - HYSTERESIS else limit
        }
    }

    /** Runs while a quantity is below a limit. */
    data class Below(val quantity: Quantity, val limit: Double) : Rule() {
        override fun wants(readings: Readings, running: Boolean): Boolean {
            val value = readings[quantity]?.value ?: return false
            return value < if (running) limit + HYSTERESIS else limit
        }
    }

    /** How far a value has to come back before a device is switched off again. */
    private const val HYSTERESIS = 0.5
    """

CONTROLLER = """
    package greenhouse

    enum class Device { HEATER, VENT, FOGGER, LAMP }

    /** Switches devices by their rules. */
    class Controller(private val switch: (Device, Boolean) -> Unit) {
        private val rules = mutableMapOf<Device, Rule>()
        private val running = mutableSetOf<Device>()
        private val readings = Readings()

        fun rule(device: Device, rule: Rule) {
            rules[device] = rule
        }

        /** Takes a reading and switches what it changes. */
        fun take(reading: Reading) {
            readings.add(reading)
            for ((device, rule) in rules) {
                val runs = device in running
                val wanted = rule.wants(readings, runs)
                if (wanted && !runs) {
                    running.add(device)
                    switch(device, true)
                }
                if (!wanted && runs) {
                    running.remove(device)
                    switch(device, false)
                }
            }
        }
    }
    """

CONTROLLER_TEST = """
    package greenhouse

    import java.time.Instant
    import kotlin.test.Test
    import kotlin.test.assertEquals

    class ControllerTest {
        private val switched = mutableListOf<String>()
        private val controller = Controller { device, on -> switched += "$device $on" }

        private fun temperature(value: Double) =
            controller.take(Reading(Quantity.TEMPERATURE, value, Instant.EPOCH))

        @Test
        fun `opens the vent once when it gets warm`() {
            controller.rule(Device.VENT, Above(Quantity.TEMPERATURE, 26.0))
            listOf(25.0, 26.5, 27.0).forEach(::temperature)
            assertEquals(listOf("VENT true"), switched)
        }
    }
    """

TIMER = """
    package greenhouse

    import java.time.Clock
    import java.time.Duration
    import java.time.Instant

    /** Runs a device for a while, e.g. the fogger for two minutes. */
    class Timer(private val clock: Clock, private val switch: (Device, Boolean) -> Unit) {
        private val ends = mutableMapOf<Device, Instant>()

        fun run(device: Device, duration: Duration) {
            switch(device, true)
            ends[device] = clock.instant() + duration
        }

        /** Switches off what has run long enough; to be called every second. */
        fun tick() {
            val now = clock.instant()
            val over = ends.filterValues { it <= now }.keys
            for (device in over) {
                switch(device, false)
                ends.remove(device)
            }
        }
    }
    """

ALARM = """
    package greenhouse

    /** Tells the gardeners when something is wrong. */
    class Alarms(private val send: (String) -> Unit) {
        private val limits = mutableMapOf<Quantity, ClosedRange<Double>>()

        fun limit(quantity: Quantity, range: ClosedRange<Double>) {
            limits[quantity] = range
        }

        fun take(reading: Reading) {
            val range = limits[reading.quantity] ?: return
            if (reading.value !in range) {
                send("Alarm: $reading")
            }
        }

        fun describe(): String = limits.entries.joinToString("\\n") { (quantity, range) ->
            "$quantity: ${range.start} to ${range.endInclusive}"
        }
    }
    """


def tell(story: Story) -> Branch:
    """From nothing to a controller that switches."""
    main = story.start(
        LENA,
        "Readings and a README",
        new("README.md", README),
        new("docs/Gewächshäuser – Überblick.md", OVERVIEW),
        new("build.gradle.kts", BUILD),
        new(f"{MAIN}/Reading.kt", READING),
    )
    main.commit(LENA, "Add rules with hysteresis", new(f"{MAIN}/Rule.kt", RULE))
    main.commit(
        SAMIR,
        "Switch devices by their rules",
        new(f"{MAIN}/Controller.kt", CONTROLLER),
        new(f"{TEST}/ControllerTest.kt", CONTROLLER_TEST),
    )
    main.commit(
        OLU,
        "Add timers (for the fogger) and alarms",
        new(f"{MAIN}/Timer.kt", TIMER),
        new(f"{MAIN}/Alarms.kt", ALARM, last_line_open=True),
    )
    return main
