"""A Gradescope export gives students and times; nothing in it is run or invented."""

import itertools
from datetime import UTC, datetime

import pytest

from submissions.imports import GatherRequest, WrongExport, gather
from submissions.imports.gradescope_export import read_gradescope
from submissions.people import Person, people_in

ADA = "  - :name: Ada Lovelace\n    :sid: '0815'\n    :email: ada@example.edu\n"
BOB = "  - :name: Bob Babbage\n    :sid: 0017\n    :email: bob@example.edu\n"
HEAD = "submission_{}:\n  :submitters:\n{}  :created_at: {}\n  :score: 20.0\n  :status: processed\n"


EARLIER = "  :history:\n  - :id: 7\n    :created_at: 2026-02-01 10:00:00 Z\n"


def entry(number, people, moment="2026-03-01 11:58:00.000000000 Z"):
    return HEAD.format(number, people, moment)


@pytest.fixture
def export(tmp_path):
    exports = itertools.count()

    def write(*entries, folders=(1,)):
        export = tmp_path / f"export{next(exports)}"
        export.mkdir()
        for name in folders:
            (export / f"submission_{name}").mkdir()
            (export / f"submission_{name}" / "work.py").write_text(f"answer = {name}\n")
        (export / "submission_metadata.yml").write_text("---\n" + "".join(entries))
        return export

    return write


def collected(folder, attempts="last"):
    return gather(folder, GatherRequest("toy", ("work.py",), folder / "out", attempts=attempts))


def test_people_times_and_groups_are_as_exported(export):
    gathered = collected(export(entry(1, ADA)))
    (ada,) = gathered.submissions
    assert (gathered.layout, ada.id) == ("gradescope", "submission_1")
    assert people_in(ada.student) == (Person("Ada Lovelace", "ada@example.edu", "0815"),)
    assert ada.submitted_at == datetime(2026, 3, 1, 11, 58, tzinfo=UTC)
    (both,) = collected(export(entry(1, ADA + BOB))).submissions
    people = [(person.name, person.sid) for person in people_in(both.student)]
    assert people == [("Ada Lovelace", "0815"), ("Bob Babbage", "0017")]


RAILS = """!ruby/object:ActiveSupport::TimeWithZone
    utc: &1 2026-03-01 19:58:00.000000000 Z
    zone: !ruby/object:ActiveSupport::TimeZone
      name: America/Los_Angeles
    time: 2026-03-01 11:58:00.000000000 Z"""


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-03-01 11:58:00.123456789 Z", 11),
        ("2026-03-01 11:58:00 -08:00", 19),
        ("'2026-03-01T11:58:00.000-08:00'", 19),
        ("2026-03-01 11:58:00", 11),
        (RAILS, 19),
        *((text, None) for text in ("2026-13-45 99:99:99 Z", "soon", "", "[1, 2]")),
    ],
)
def test_times_are_read_with_their_zone_or_not_known(export, text, hour):
    gathered = collected(export(entry(1, ADA, text)))
    moment = gathered.submissions[0].submitted_at
    assert (moment and moment.astimezone(UTC).hour) == hour
    unknown = "no submission time, so no late penalty: submission_1"
    assert gathered.notes == (() if hour else (unknown,))


def test_the_last_of_several_counts_within_a_second_and_in_two_histories(export):
    folder = export(entry(9, ADA) + EARLIER, folders=[7, 9])
    assert [submission.id for submission in collected(folder).submissions] == ["submission_9"]
    every = {
        submission.id: submission.submitted_at.month
        for submission in collected(folder, "all").submissions
    }
    assert every == {"submission_9": 3, "submission_7": 2}
    folder = export(entry(99, ADA), entry(100, ADA), folders=[99, 100])
    assert [submission.id for submission in collected(folder).submissions] == ["submission_100"]
    folder = export(entry(8, ADA) + EARLIER, entry(9, BOB) + EARLIER, folders=[7, 8, 9])
    every = collected(folder, "all").submissions
    counts = {submission.id: len(people_in(submission.student)) for submission in every}
    assert counts == {"submission_7": 2, "submission_8": 1, "submission_9": 1}


def test_what_is_in_one_place_only_or_nobodys_is_named(export):
    gathered = collected(export(entry(1, ADA), entry(2, BOB), folders=[1, 3]))
    assert [submission.id for submission in gathered.submissions] == [
        "submission_1",
        "submission_3",
    ]
    assert gathered.notes[0].startswith("submission_2: in submission_metadata.yml, but not")
    assert gathered.notes[1].startswith("submission_3: submission_metadata.yml does not say whose")
    folder = export(entry(1, ADA), folders=[1, "2 (1)"])
    (folder / "submission_3.zip").write_text("")
    notes = collected(folder).notes
    assert [note.split(":")[0] for note in notes] == ["submission_2 (1)", "submission_3.zip"]
    gathered = collected(export("submission_1:\n  :submitters: []\n"))
    assert gathered.notes[0] == "submission_1: submission_metadata.yml does not say whose"
    gathered = collected(export(entry(1, ADA), entry(2, ADA, "soon"), folders=[1, 2]))
    assert len(gathered.submissions) == 2
    assert "submission_1, submission_2: of one student" in gathered.notes[-1]


def test_a_hostile_file_makes_no_object_and_a_laughing_one_is_read_at_once(export, tmp_path):
    mark = tmp_path / "mark"
    attack = f"!!python/object/apply:os.system ['touch {mark}']"
    people = f"  - :name: {attack}\n    :email: {attack}\n"
    uploads = read_gradescope(export(entry(1, people, attack)))
    assert not mark.exists()
    assert uploads.uploads[0].people == (Person(""),)
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    assert read_gradescope(export("\n".join(lines), folders=[])).uploads == ()


def test_a_name_or_a_link_leads_nowhere_else(export, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    strange = entry(1, ADA).replace("submission_1", "../elsewhere")
    assert read_gradescope(export(strange, folders=[])).uploads == ()
    folder = export(entry(1, ADA), folders=[])
    (folder / "submission_1").symlink_to("/")
    assert read_gradescope(folder).uploads == ()


@pytest.mark.parametrize(
    "content", ["[1, 2]", "submission_1: {", "a: *b", "? [x]\n: 1", "\x00", "[" * 5000]
)
def test_what_is_no_metadata_is_refused_in_words(tmp_path, content):
    (tmp_path / "submission_metadata.yml").write_text(content)
    with pytest.raises(WrongExport, match="submission_metadata.yml"):
        read_gradescope(tmp_path)


NAMELESS = ("  - {}\n", "  - :name:\n    :email: ~\n", "  - :name: Wei Chen\n")


@pytest.mark.parametrize("people", NAMELESS)
def test_who_has_no_number_and_no_address_is_nobody_else(export, people):
    later = entry(2, people, "2026-03-02 10:00:00 Z")
    gathered = collected(export(entry(1, people), later, folders=[1, 2]))
    assert [submission.id for submission in gathered.submissions] == [
        "submission_1",
        "submission_2",
    ]


def test_blanks_around_an_address_make_nobody_else_nor_a_later_attempt_alone(export):
    padded = ADA.replace("ada@example.edu", "' ada@example.edu '")
    later = entry(2, padded, "2026-03-02 10:00:00 UTC")
    gathered = collected(export(entry(1, ADA), later, folders=[1, 2]))
    assert [submission.id for submission in gathered.submissions] == ["submission_2"]
    note = "1 submission does not count, because another one of the same student does"
    assert gathered.notes == (f"{note}: submission_1 (submission_2 counts)",)
    later = entry(2, BOB, "2026-03-02 10:00:00 Z")
    group, alone = collected(export(entry(1, ADA + BOB), later, folders=[1, 2])).submissions
    assert [person.name for person in people_in(group.student)] == ["Ada Lovelace"]
    assert [person.name for person in people_in(alone.student)] == ["Bob Babbage"]
