"""The controller becomes careful: five commits on a branch that was squashed and deleted."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import edit
from pytest_gitgoodbench.dataset.demo.greenhouse.people import LENA, MAIN, SAMIR, TEST
from pytest_gitgoodbench.dataset.demo.story import Branch

FILE = f"{MAIN}/Controller.kt"

OFF_TEST = """
    +    @Test
    +    fun `switches everything off when it stops`() {
    +        controller.rule(Device.VENT, Above(Quantity.TEMPERATURE, 26.0))
    +        temperature(27.0)
    +        controller.stop()
    +        assertEquals(listOf("VENT true", "VENT false"), switched)
    +    }
    +
         @Test
         fun `opens the vent once when it gets warm`() {
    """


def tell(main: Branch) -> None:
    """What was reviewed is one commit on main; how it came about is the sample."""
    topic = main.branch("samir/careful")
    with topic.chain(FILE):
        topic.commit(
            SAMIR,
            "Do not believe broken sensors",
            edit(
                FILE,
                """
                     fun take(reading: Reading) {
                +        if (!plausible(reading)) return
                         readings.add(reading)
                """,
            ),
        )
        topic.commit(
            SAMIR,
            "wip",
            edit(
                FILE,
                """
                -            if (wanted && !runs) {
                -                running.add(device)
                -                switch(device, true)
                -            }
                -            if (!wanted && runs) {
                -                running.remove(device)
                -                switch(device, false)
                -            }
                +            if (wanted != runs) set(device, wanted)
                         }
                     }
                +
                +    private fun set(device: Device, on: Boolean) {
                +        if (on) running.add(device) else running.remove(device)
                +        switch(device, on)
                +    }
                """,
            ),
        )
        topic.commit(
            SAMIR,
            "Switch everything off when the program stops",
            edit(
                FILE,
                """
                +    /** Switches everything off. */
                +    fun stop() {
                +        for (device in running) set(device, false)
                +    }
                +
                     private fun set(device: Device, on: Boolean) {
                """,
            ),
            edit(f"{TEST}/ControllerTest.kt", OFF_TEST),
        )
        topic.commit(
            SAMIR,
            "Fix ConcurrentModificationException in stop()",
            edit(
                FILE,
                """
                -        for (device in running) set(device, false)
                +        for (device in running.toList()) set(device, false)
                """,
            ),
        )
        topic.commit(
            SAMIR,
            "wip",
            edit(
                FILE,
                """
                -    fun rule(device: Device, rule: Rule) {
                -        rules[device] = rule
                +    /** Sets the rule of a device; without one it is switched off. */
                +    fun rule(device: Device, rule: Rule?) {
                +        if (rule != null) {
                +            rules[device] = rule
                +        } else if (rules.remove(device) != null && device in running) {
                +            set(device, false)
                +        }
                     }
                """,
            ),
        )
    main.commit(
        LENA,
        """
        Make the controller careful (#8)

        It ignores broken sensors, stops in good order, and forgets rules.
        """,
        edit(
            FILE,
            """
            -    fun rule(device: Device, rule: Rule) {
            -        rules[device] = rule
            +    /** Sets the rule of a device; without one it is switched off. */
            +    fun rule(device: Device, rule: Rule?) {
            +        if (rule != null) {
            +            rules[device] = rule
            +        } else if (rules.remove(device) != null && device in running) {
            +            set(device, false)
            +        }
                 }
            @@
                 fun take(reading: Reading) {
            +        if (!plausible(reading)) return
                     readings.add(reading)
            @@
            -            if (wanted && !runs) {
            -                running.add(device)
            -                switch(device, true)
            -            }
            -            if (!wanted && runs) {
            -                running.remove(device)
            -                switch(device, false)
            -            }
            +            if (wanted != runs) set(device, wanted)
                     }
                 }
            +
            +    /** Switches everything off. */
            +    fun stop() {
            +        for (device in running.toList()) set(device, false)
            +    }
            +
            +    private fun set(device: Device, on: Boolean) {
            +        if (on) running.add(device) else running.remove(device)
            +        switch(device, on)
            +    }
            """,
        ),
        edit(f"{TEST}/ControllerTest.kt", OFF_TEST),
    )
    topic.delete()
