"""The people who write parcels, and where its classes are."""

from pytest_gitgoodbench.dataset.demo.story import Person

INGRID = Person("Ingrid Solberg", "ingrid.solberg@parcels.example.invalid")
TOMAS = Person("Tomás Ferreira", "tomas@ferreira.example.invalid")
WEI = Person("Wei Zhang", "wei.zhang@parcels.example.invalid")
HANNAH = Person("Hannah Adeyemi", "hadeyemi@shop.example.invalid")

MAIN = "src/main/java/dev/parcels"
TEST = "src/test/java/dev/parcels"
