"""A roster says who submitted what, by folder, archive, address or number, and never by a guess."""

from pathlib import Path

import pytest

from graders.course.roster import FILE, by_roster, keep_roster, read_roster
from graders.errors import UsageError
from graders.model import Submission
from submissions.people import Person, people_in

HEADER = "submission,name,email,student_id,section\n"
ADA = "Ada Lovelace,ada@example.edu,1815,A"


@pytest.fixture
def named(tmp_path):
    """`named(rows, *submissions)` is what the roster makes of them; a text is a folder's name."""

    def write(rows, *names, header=HEADER, **options):
        file = tmp_path / "roster.csv"
        file.write_text(header + rows)
        uploads = [name if isinstance(name, Submission) else upload(name) for name in names]
        return by_roster(uploads, file, tmp_path / "out", **options)

    return write


def upload(name, student="", file=""):
    return Submission(name, student or name, "toy", Path(file or name), "f" * 64, None)


def people(enrolled):
    return [people_in(submission.student) for submission in enrolled.submissions]


@pytest.mark.parametrize(
    ("row", "submission"),
    [
        ("hw4_ada", upload("hw4_ada")),
        ("hw4_ada.zip", upload("hw4_ada", file="hw4_ada.zip")),
        ("HW4_Ada", upload("hw4_ada")),
        ("a&b", upload("a%26b", file="a&b.zip")),
        ("", upload("submission_7", "A. Lovelace <ada@example.edu>")),
        ("", upload("submission_7", "A. Lovelace (sid 1815)")),
        ("", upload("1815")),
    ],
    ids=["folder", "archive", "case", "escaped", "email", "sid", "named by number"],
)
def test_a_row_is_of_the_submission_it_names(named, row, submission):
    ada = Person("Ada Lovelace", "ada@example.edu", "1815", section="A")
    assert people(named(f"{row},{ADA}\n", submission)) == [(ada,)]


def test_a_name_alone_identifies_nobody_and_every_member_of_a_group_has_a_row(named):
    enrolled = named(f",{ADA}\n", upload("s7", "Ada Lovelace"), whole=True)
    assert people(enrolled) == [(Person("Ada Lovelace"),)]
    assert enrolled.notes == (
        "not in the roster: s7",
        "no submission from: Ada Lovelace <ada@example.edu> (sid 1815) (section A)",
    )
    enrolled = named(f"team,{ADA}\nteam,Bob Babbage,bob@example.edu,1791,B\n", "team", whole=True)
    assert [person.name for person in people(enrolled)[0]] == ["Ada Lovelace", "Bob Babbage"]
    assert enrolled.notes == ()


def test_a_table_in_another_encoding_is_named(tmp_path):
    (tmp_path / FILE).write_bytes(f"{HEADER},Zo\xeb,,,\n".encode("cp1252"))
    with pytest.raises(UsageError, match="is not UTF-8 text") as error:
        read_roster(tmp_path / FILE)
    assert error.value.hint == "save it as CSV UTF-8"


def test_columns_come_in_any_order_and_what_canvas_knows_is_kept(named):
    of_canvas = upload("s7", "A. L. (sid 1815) (canvas 7)")
    ((ada,),) = people(named(f",{ADA}\n", of_canvas, whole=True))
    assert (ada.name, ada.canvas) == ("Ada Lovelace", "7")
    enrolled = named("1815;Ada Lovelace;ada\n", "ada", header="\ufeffStudent_ID;Name;Submission\n")
    assert people(enrolled) == [(Person("Ada Lovelace", sid="1815"),)]


def test_it_is_kept_with_the_results_and_without_one_names_are_as_they_were(named, tmp_path):
    first = named(f"ada,{ADA}\n", "ada")
    assert not (tmp_path / "out").exists(), "the grading may still be refused"
    keep_roster(tmp_path / "roster.csv", tmp_path / "out")
    again = by_roster([upload("ada")], None, tmp_path / "out")
    assert again == first
    assert by_roster([upload("ada")], None, tmp_path / "other").submissions == (upload("ada"),)


def test_a_misspelled_row_of_another_table_is_named(named, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    rows = "ada@example.edu,dropped\nb,dropped\nhw4_c,dropped\nbobb,dropped\n"
    (out / "dropped.csv").write_text(f"student,status\n{rows}")
    (out / "merged.csv").write_text("submission,into,attempts\nb,ada,last\nbb,adaa,last\n")
    notes = named(f"ada,{ADA}\nhw4_c,Cleo,,,\n", "ada", "b", whole=True).notes
    assert notes[:2] == (
        "dropped.csv: no student matches: bobb",
        ("merged.csv: no submission matches: adaa, bb"),
    )
    alone = named(f"ada,{ADA}\n", "ada").notes
    assert not any("matches" in note for note in alone), "`run` sees only some of the course"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("name,e-mail\n", "there is no column `e-mail`; did you mean `email`"),
        ("name,name\n", "the column `name` occurs 2 times"),
        (f"{HEADER},Ada,,,\n", "line 2: a student needs a name, and"),
        (f"{HEADER}ada,,,1815,\n", "line 2: a student needs a name, and"),
        (
            f"{HEADER}a,{ADA}\nb,Eve,ada@example.edu,666,\n",
            "line 3: `ada@example.edu` already belongs to Ada",
        ),
        ('name\n"', "unexpected end of data"),
    ],
)
def test_a_file_that_is_no_roster_is_refused_in_a_sentence(tmp_path, text, said):
    file = tmp_path / "roster.csv"
    file.write_text(text)
    with pytest.raises(UsageError, match=said):
        read_roster(file)
    with pytest.raises(UsageError, match="none.csv does not exist"):
        read_roster(tmp_path / "none.csv")
    with pytest.raises(UsageError, match=f"^{tmp_path}: Is a directory$"):
        read_roster(tmp_path)


def test_a_roster_that_another_one_replaces_is_kept(tmp_path):
    out, file = tmp_path / "out", tmp_path / "roster.csv"
    for text in ("submission,name\nada,Ada\n", "submission,name\nada,Ada L.\n"):
        file.write_text(text)
        keep_roster(file, out)
        keep_roster(file, out)
    assert (out / FILE).read_text() == text
    assert (out / "roster-earlier.csv").read_text() == "submission,name\nada,Ada\n"
