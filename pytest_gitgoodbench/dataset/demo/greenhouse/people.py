"""The people who write greenhouse, and where its classes are."""

from pytest_gitgoodbench.dataset.demo.story import Person

LENA = Person("Lena Brückner", "lena@brueckner.example.invalid")
SAMIR = Person("Samir Haddad", "samir.haddad@greenhouse.example.invalid")
OLU = Person("Olu Bankole", "olu@bankole.example.invalid")

MAIN = "src/main/kotlin/greenhouse"
TEST = "src/test/kotlin/greenhouse"
