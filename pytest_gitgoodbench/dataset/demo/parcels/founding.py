"""How parcels began: parcels, rates, tracking numbers, labels."""

from __future__ import annotations

from pytest_gitgoodbench.dataset.demo.edits import new
from pytest_gitgoodbench.dataset.demo.parcels import first_files as files
from pytest_gitgoodbench.dataset.demo.parcels.people import INGRID, MAIN, TEST, TOMAS, WEI
from pytest_gitgoodbench.dataset.demo.story import Branch, Story


def tell(story: Story) -> Branch:
    """From nothing to a price and a label."""
    master = story.start(
        INGRID,
        "Initial commit",
        new("README.md", files.README),
        new("pom.xml", files.POM),
        new(f"{MAIN}/Parcel.java", files.PARCEL),
    )
    master.commit(
        INGRID,
        "Price parcels by weight",
        new(f"{MAIN}/RateTable.java", files.RATE_TABLE),
        new(f"{TEST}/RateTableTest.java", files.RATE_TABLE_TEST),
    )
    master.commit(
        WEI,
        "Add tracking numbers with a check digit",
        new(f"{MAIN}/TrackingNumber.java", files.TRACKING_NUMBER),
    )
    master.commit(
        TOMAS,
        """
        Print labels

        32 columns is what the Citizen printer at our counter has. Written on the
        counter's Windows machine, sorry for the line ends.
        """,
        new(f"{MAIN}/Address.java", files.ADDRESS),
        new(f"{MAIN}/LabelPrinter.java", files.LABEL_PRINTER, crlf=True),
    )
    master.commit(
        INGRID,
        "Add the checkout: shipping is free from a limit on",
        new(f"{MAIN}/Checkout.java", files.CHECKOUT),
    )
    return master
