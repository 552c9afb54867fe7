"""An experiment that lost: merged to close it, with everything as it was on main."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import edit, ours
from pytest_gitgoodbench.dataset.demo.greenhouse.people import LENA, MAIN, SAMIR
from pytest_gitgoodbench.dataset.demo.story import Branch

FILE = f"{MAIN}/Rule.kt"


def tell(main: Branch) -> None:
    """Both sides change the same constant; main is right."""
    experiment = main.branch("experiment/small-hysteresis")
    experiment.commit(
        SAMIR,
        "Try a smaller hysteresis in house 2",
        edit(
            FILE,
            """
             /** How far a value has to come back before a device is switched off again. */
            -private const val HYSTERESIS = 0.5
            +private const val HYSTERESIS = 0.2
            """,
        ),
    )
    main.commit(
        LENA,
        """
        Use a hysteresis of 1.0

        The vent motors ran every other minute on sunny days.
        """,
        edit(
            FILE,
            """
             /** How far a value has to come back before a device is switched off again. */
            -private const val HYSTERESIS = 0.5
            +private const val HYSTERESIS = 1.0
            """,
        ),
    )
    main.merge(
        experiment,
        LENA,
        """
        Merge branch 'experiment/small-hysteresis'

        Closed: the motors of house 2 did not like it. Keeps 1.0.
        """,
        ours(FILE),
    )
