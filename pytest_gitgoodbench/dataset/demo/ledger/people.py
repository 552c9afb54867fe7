"""The people who write ledger."""

from pytest_gitgoodbench.dataset.demo.story import Person

MARA = Person("Mara Lindqvist", "mara@lindqvist.example.invalid")
JONAS = Person("Jonas Okafor", "jonas.okafor@example.invalid")
PRIYA = Person("Priya Raman", "priya@raman.example.invalid")
