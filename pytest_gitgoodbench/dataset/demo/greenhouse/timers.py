"""Timers: main deletes a class that a branch still improves; what it did moves into the controller."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import delete, edit
from pytest_gitgoodbench.dataset.demo.greenhouse.people import LENA, MAIN, OLU, TEST
from pytest_gitgoodbench.dataset.demo.story import Branch

CONTROLLER = f"{MAIN}/Controller.kt"
TIMER = f"{MAIN}/Timer.kt"
CONTROLLER_TEST = f"{TEST}/ControllerTest.kt"


def tell(main: Branch) -> None:
    """Delete against edit, and a constructor that both sides extend."""
    longer = main.branch("olu/longer-timers")
    longer.commit(
        OLU,
        "A timer that is started again runs longer, it does not start over",
        edit(
            TIMER,
            """
                 fun run(device: Device, duration: Duration) {
            -        switch(device, true)
            -        ends[device] = clock.instant() + duration
            +        val end = ends[device]
            +        if (end == null) switch(device, true)
            +        ends[device] = (end ?: clock.instant()) + duration
                 }
            """,
        ),
    )
    longer.commit(
        OLU,
        "Log what is switched",
        edit(
            CONTROLLER,
            """
             /** Switches devices by their rules. */
            -class Controller(private val switch: (Device, Boolean) -> Unit) {
            +class Controller(
            +    private val log: (String) -> Unit = {},
            +    private val switch: (Device, Boolean) -> Unit,
            +) {
            @@
                     if (on) running.add(device) else running.remove(device)
            +        log("$device ${if (on) "on" else "off"}")
                     switch(device, on)
            """,
        ),
        edit(
            CONTROLLER_TEST,
            """
                 private val switched = mutableListOf<String>()
            -    private val controller = Controller { device, on -> switched += "$device $on" }
            +    private val logged = mutableListOf<String>()
            +    private val controller =
            +        Controller({ logged += it }) { device, on -> switched += "$device $on" }
            @@
                     listOf(25.0, 26.5, 27.0).forEach(::temperature)
                     assertEquals(listOf("VENT true"), switched)
            +        assertEquals(listOf("VENT on"), logged)
                 }
            """,
        ),
    )
    main.commit(
        LENA,
        """
        Let the controller run devices for a while, drop Timer

        Two objects that switch the same device never agreed: a rule switched the
        fogger off while its timer was running.
        """,
        delete(TIMER),
        edit(
            CONTROLLER,
            """
             package greenhouse

            +import java.time.Clock
            +import java.time.Duration
            +import java.time.Instant
            +
             enum class Device { HEATER, VENT, FOGGER, LAMP }

             /** Switches devices by their rules. */
            -class Controller(private val switch: (Device, Boolean) -> Unit) {
            +class Controller(
            +    private val clock: Clock = Clock.systemUTC(),
            +    private val switch: (Device, Boolean) -> Unit,
            +) {
                 private val rules = mutableMapOf<Device, Rule>()
            +    private val ends = mutableMapOf<Device, Instant>()
            @@
                     for ((device, rule) in rules) {
            +            if (device in ends) continue
                         val runs = device in running
            @@
            +    /** Runs a device for a while, whatever its rule says. */
            +    fun run(device: Device, duration: Duration) {
            +        set(device, true)
            +        ends[device] = clock.instant() + duration
            +    }
            +
            +    /** Switches off what has run long enough; to be called every second. */
            +    fun tick() {
            +        val now = clock.instant()
            +        for (device in ends.filterValues { it <= now }.keys) {
            +            ends.remove(device)
            +            set(device, false)
            +        }
            +    }
            +
                 /** Switches everything off. */
            """,
        ),
        edit(
            CONTROLLER_TEST,
            """
                 private val switched = mutableListOf<String>()
            -    private val controller = Controller { device, on -> switched += "$device $on" }
            +    private val controller = Controller(clock) { device, on -> switched += "$device $on" }
            @@
                     assertEquals(listOf("VENT true"), switched)
                 }
            +
            +    @Test
            +    fun `a rule does not end what was switched on for a while`() {
            +        controller.rule(Device.VENT, Above(Quantity.TEMPERATURE, 26.0))
            +        controller.run(Device.VENT, Duration.ofMinutes(2))
            +        temperature(20.0)
            +        assertEquals(listOf("VENT true"), switched)
            +    }
            """,
        ),
        edit(
            CONTROLLER_TEST,
            """
             package greenhouse

            +import java.time.Clock
            +import java.time.Duration
             import java.time.Instant
            +import java.time.ZoneOffset
             import kotlin.test.Test
             import kotlin.test.assertEquals

             class ControllerTest {
            +    private val clock = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC)
                 private val switched = mutableListOf<String>()
            """,
        ),
    )
    main.merge(
        longer,
        LENA,
        """
        Merge pull request #11 from olu/longer-timers

        Timer is gone, so a timer that runs longer lives in Controller now.
        """,
        delete(TIMER),
        edit(
            CONTROLLER,
            """
                 private val clock: Clock = Clock.systemUTC(),
            +    private val log: (String) -> Unit = {},
                 private val switch: (Device, Boolean) -> Unit,
            @@
                 fun run(device: Device, duration: Duration) {
            -        set(device, true)
            -        ends[device] = clock.instant() + duration
            +        val end = ends[device]
            +        if (end == null) set(device, true)
            +        ends[device] = (end ?: clock.instant()) + duration
                 }
            @@
                     if (on) running.add(device) else running.remove(device)
            +        log("$device ${if (on) "on" else "off"}")
                     switch(device, on)
            """,
        ),
        edit(
            CONTROLLER_TEST,
            """
                 private val switched = mutableListOf<String>()
            -    private val controller = Controller(clock) { device, on -> switched += "$device $on" }
            +    private val logged = mutableListOf<String>()
            +    private val controller =
            +        Controller(clock, { logged += it }) { device, on -> switched += "$device $on" }
            @@
                     listOf(25.0, 26.5, 27.0).forEach(::temperature)
                     assertEquals(listOf("VENT true"), switched)
            +        assertEquals(listOf("VENT on"), logged)
                 }
            """,
        ),
    )
