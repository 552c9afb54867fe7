"""Two people add a sensor each: every conflict wants the lines of both sides."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import edit
from pytest_gitgoodbench.dataset.demo.greenhouse.people import LENA, MAIN, OLU, SAMIR
from pytest_gitgoodbench.dataset.demo.story import Branch

FILE = f"{MAIN}/Reading.kt"


def tell(main: Branch) -> None:
    """An enum and the `when` over it, as so often."""
    light = main.branch("olu/light")
    light.commit(
        OLU,
        "Measure light",
        edit(
            FILE,
            """
                 HUMIDITY("%"),
            +    LIGHT("lx"),
             }
            @@
                 Quantity.HUMIDITY -> reading.value in 0.0..100.0
            +    Quantity.LIGHT -> reading.value in 0.0..150_000.0
             }
            """,
        ),
    )
    main.commit(
        SAMIR,
        "Measure carbon dioxide",
        edit(
            FILE,
            """
                 HUMIDITY("%"),
            +    CO2("ppm"),
             }
            @@
                 Quantity.HUMIDITY -> reading.value in 0.0..100.0
            +    Quantity.CO2 -> reading.value in 0.0..10_000.0
             }
            """,
        ),
    )
    main.merge(
        light,
        LENA,
        "Merge pull request #6 from olu/light",
        edit(
            FILE,
            """
                 CO2("ppm"),
            +    LIGHT("lx"),
             }
            @@
                 Quantity.CO2 -> reading.value in 0.0..10_000.0
            +    Quantity.LIGHT -> reading.value in 0.0..150_000.0
             }
            """,
        ),
    )
