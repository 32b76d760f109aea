"""People survive being written as one text, and nobody can claim another's identity."""

import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions import identity
from submissions.identity import calendar_time, identify, identify_all, safe_id
from submissions.people import Person, people_in, student_text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("alice", "alice"),
        ("Jane Doe (2)", "Jane Doe (2)"),
        ("Zoë 東 дом", "Zoë 東 дом"),
        ("Zoe\u0308", "Zoë"),
        ("हिन्दी", "हिन्दी"),
        (".hidden", "%2Ehidden"),
        ("-rf", "%2Drf"),
        ("end. ", "end.%20"),
        ("..", "%2E%2E"),
        ("a/b\\c:d", "a%2Fb%5Cc%3Ad"),
        ("\x1b[2J\n", "%1B%5B2J%0A"),
        ("<b>&'\"", "%3Cb%3E%26%27%22"),
        ("100%", "100%25"),
        ("a\u202eb\u200b", "a%E2%80%AEb%E2%80%8B"),
        ("\udcff", "%FF"),
        ("", "_"),
    ],
)
def test_ids_are_safe_file_names(name, expected):
    assert safe_id(name) == expected


def test_long_ids_stay_apart_and_absent_uploads_are_an_error(tmp_path):
    one, two = safe_id("é" * 300 + "1"), safe_id("é" * 300 + "2")
    assert one != two
    assert len(one.encode()) <= 120
    assert re.fullmatch(r"é+-[0-9a-f]{8}", one)
    with pytest.raises(FileNotFoundError):
        identify(tmp_path / "absent.zip", "a")


@settings(max_examples=100)
@given(st.text(max_size=200))
def test_any_name_gives_a_usable_file_name(name):
    safe = safe_id(name)
    assert 1 <= len(safe.encode(errors="strict")) <= 120
    assert safe.isprintable()
    assert not set(safe) & set("/\\:*?\"<>|&'`$\n")
    assert safe[0] not in ".- "


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((f"alice{suffix}", "alice") for suffix in (".zip", ".tar.gz", ".tgz", ".tar", ".ZIP")),
        ("alice.rar", "alice.rar"),
        ("alice.v2.zip", "alice.v2"),
    ],
)
def test_the_id_is_the_archives_name(uploads, name, expected):
    submission = identify(uploads.raw(b"broken", name), "cs224n-a4")
    assert (submission.id, submission.student) == (expected, expected)
    assert submission.assignment == "cs224n-a4"


def test_the_id_of_a_folder_is_its_whole_name(uploads):
    assert identify(uploads.tree({"x": b""}, "alice.zip"), "a").id == "alice.zip"


def test_the_current_folder_has_a_name(uploads, monkeypatch):
    monkeypatch.chdir(uploads.tree({"x": b""}))
    assert identify(Path(), "a").id == "alice"


def test_ids_differ_within_a_batch(uploads):
    paths = [
        uploads.raw(b"1", "alice.zip"),
        uploads.tree({"x": b""}),
        uploads.raw(b"2", "alice.tar.gz"),
        uploads.raw(b"3", "Bob.zip"),
        uploads.raw(b"4", "bob.tgz"),
        uploads.raw(b"5", "carol.zip"),
    ]
    ids = [s.id for s in identify_all(paths, "a")]
    assert ids == ["alice.zip", "alice", "alice.tar.gz", "Bob.zip", "bob.tgz", "carol"]
    assert [s.path for s in identify_all(paths, "a")] == paths


def test_one_name_in_several_folders_gives_different_ids(uploads):
    """Also where they differ by case only."""
    names = ("1/alice", "2/alice", "3/alice", "4/alice", "5/Alice")
    contents = (b"1", b"2", b"2", b"2", b"3")
    paths = [uploads.tree({"x": data}, name) for name, data in zip(names, contents, strict=True)]
    ids = [s.id for s in identify_all(paths, "a")]
    assert ids[0] == "alice"
    assert re.fullmatch(r"alice-[0-9a-f]{8}", ids[1])
    assert ids[2:4] == [f"{ids[1]}-2", f"{ids[1]}-3"]
    assert len({identifier.casefold() for identifier in ids}) == 5


def test_the_sum_of_an_archive_is_sha256_and_the_time_is_the_uploads(uploads):
    sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180: "abc"
    assert identify(uploads.raw(b"abc", "alice.zip"), "a").sha256 == sha256
    path = uploads.raw(b"x", "alice.zip")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert identify(path, "a").submitted_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    for none_that_a_calendar_has in (1e12, 1e30, -1e15, float("nan")):
        assert calendar_time(none_that_a_calendar_has) is None


@pytest.mark.parametrize("moment", [datetime.min, datetime.max])
def test_a_time_that_a_time_zone_cannot_show_is_unknown(moment):
    seconds = moment.replace(tzinfo=UTC, microsecond=0).timestamp()
    assert calendar_time(seconds) is None
    inside = seconds + 2 * 86_400 * (1 if seconds < 0 else -1)
    assert calendar_time(inside)


def test_the_time_of_a_folder_is_that_of_its_newest_file(uploads):
    folder = uploads.tree({"a.py": b"1", "d/b.py": b"2"}, "ada")
    os.utime(folder / "a.py", (1_600_000_000, 1_600_000_000))
    os.utime(folder / "d" / "b.py", (1_700_000_000, 1_700_000_000))
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "a.pyc").write_bytes(b"of whoever ran the code")
    assert identify(folder, "a").submitted_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    "other",
    [
        {"a.py": b"2", "b.py": b"2"},
        {"a.py": b"1", "c.py": b"2"},
        {"a.py": b"12", "b.py": b""},
        {"a.py": b"1", "b.py": b"2", "c.py": b""},
        {"d/a.py": b"1", "b.py": b"2"},
    ],
)
def test_the_sum_of_a_folder_covers_names_and_contents(uploads, other):
    one = uploads.tree({"b.py": b"2", "a.py": b"1"}, "one")
    same = uploads.tree({"a.py": b"1", "b.py": b"2", "__pycache__/x": b"x"}, "same")
    sums = [identify(path, "a").sha256 for path in (one, same, uploads.tree(other, "other"))]
    assert sums[0] == sums[1] != sums[2]


@pytest.mark.parametrize("kind", ["pipe", "link", "loop"])
def test_odd_uploads_are_identified_too(uploads, kind):
    path = uploads.folder / "odd"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/etc/passwd" if kind == "link" else path)
    assert identify(path, "a").id == "odd"


def test_unreadable_uploads_are_identified_too(uploads, lock):
    path = uploads.raw(b"x", "alice.zip")
    lock(path)
    assert identify(path, "a").id == "alice"


def test_what_is_too_large_to_be_read_counts_by_its_time(tmp_path, monkeypatch):
    monkeypatch.setattr(identity, "HASHED_BYTES", 4)
    sums = []
    for content, moment in ((b"12345", 1), (b"12349", 1), (b"12349", 2)):
        for name in ("a.bin", "work.py"):
            (tmp_path / name).write_bytes(content)
            os.utime(tmp_path / name, ns=(moment, moment))
        sums.append(identify(tmp_path, "toy").sha256)
    assert sums[0] == sums[1] != sums[2]


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
