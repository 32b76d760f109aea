"""People survive being written as one text, and nobody can claim another's identity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.people import Person, people_in, student_text

words = st.text("abcé'-.@ 123", min_size=1).map(lambda text: " ".join(text.split()))
ADA = Person("Ada Lovelace", "ada@x.edu", "1815", "7")


@given(st.lists(st.builds(Person, words.filter(bool), words, words, words, words), min_size=1))
def test_people_come_back_as_they_were(people):
    assert people_in(student_text(people)) == tuple(people)


@pytest.mark.parametrize(
    "name", ["Eve; Ada <ada@x.edu> (sid 1815)", "Eve (sid 1815)", "Eve <ada@x.edu>", "Eve\n;ada"]
)
def test_a_name_is_never_somebody_elses_number(name):
    (eve,) = people_in(student_text([Person(name, "eve@x.edu", "666")]))
    assert (eve.email, eve.sid) == ("eve@x.edu", "666")


@pytest.mark.parametrize("student", ["ada", "Lovelace, Ada", "a<b", "ada (late)", "", "x;y"])
def test_any_other_text_is_one_name(student):
    assert people_in(student) == (Person(student),)


def test_what_is_not_known_is_not_written():
    assert str(Person("", "ada@x.edu")) == "<ada@x.edu>"
    assert str(ADA) == "Ada Lovelace <ada@x.edu> (sid 1815) (canvas 7)"
