import os
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from submissions.archives.archive import unpack
from submissions.limits import MIB, UnpackLimits
from submissions.submission import Rejected

SMALL = UnpackLimits(
    upload_bytes=1 * MIB, total_bytes=200_000, file_bytes=100_000, ratio_from=20_000
)
FIXTURES_KEPT = settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(params=["zip", "tar.gz", "tar"])
def packed(request, uploads):
    """Packs entries in each of the formats in turn."""

    def pack(entries):
        if request.param == "zip":
            return uploads.zip(entries)
        return uploads.tar(entries, name=f"alice.{request.param}")

    return pack


def test_files_come_out_as_they_went_in(packed, a4, tmp_path, files_in):
    entries = a4 | {"a4/Über uns 東/my file.txt": b""}
    unpack(packed(entries), tmp_path / "out")
    assert files_in(tmp_path / "out") == entries


def test_a_real_submission_passes(packed, tmp_path, files_in):
    entries = {f"a4/{i}.params": os.urandom(13_500_000) for i in range(3)}
    entries["a4/wiki.txt"] = b"Khatchig Mouradian is a journalist. " * 11_000
    unpack(packed(entries), tmp_path / "out")
    assert files_in(tmp_path / "out") == entries


@pytest.mark.usefixtures("open_umask")
def test_left_out_entries_are_not_written_and_files_have_plain_permissions(
    packed, a4, tmp_path, files_in
):
    extra = {f"{name}/x": b"x" for name in ("__MACOSX", "a4/venv", "a4/.git", "a4/__pycache__")}
    unpack(packed(extra | a4 | {"a4/.DS_Store": b"x"}), tmp_path / "out")
    assert files_in(tmp_path / "out") == a4
    unpack(packed({"run.sh": b"x"}), tmp_path / "plain")
    assert (tmp_path / "plain/run.sh").stat().st_mode & 0o7777 == 0o644


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "a/../../evil", "..\\evil", "C:\\evil"])
def test_nothing_is_written_outside(packed, a4, tmp_path, name):
    upload = packed([*a4.items(), (name, b"evil")])
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(Rejected, match=r"`alice.*` contains `.*evil`"):
        unpack(upload, tmp_path / "out")
    assert set(tmp_path.rglob("*")) == {*before, tmp_path / "out"}


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ({"zeros": bytes(90_000)}, "to more than 100 times its size"),
        ({"noise": os.urandom(100_001)}, "a file of more than 0 MiB"),
        ({str(i): os.urandom(70_000) for i in range(3)}, "to more than 0 MiB"),
        ([("a.py", b"1"), ("a.py", b"2")], "twice"),
        ({}, "no files of yours"),
        ({"__MACOSX/x": b""}, "no files of yours"),
    ],
)
def test_bad_archives_leave_nothing(uploads, tmp_path, entries, sentence):
    for upload in (uploads.zip(entries), uploads.tar(entries)):
        with pytest.raises(Rejected, match=f"`{upload.name}`.*{sentence}.*; .*\\.$"):
            unpack(upload, tmp_path / "out", SMALL)
        assert list((tmp_path / "out").iterdir()) == []


def test_too_large_an_upload_is_not_opened(uploads, tmp_path):
    upload = uploads.raw(b"PK" + bytes(1 * MIB), "alice.zip")
    with pytest.raises(Rejected, match=r"`alice\.zip` is larger than 1 MiB; upload your"):
        unpack(upload, tmp_path / "out", SMALL)


@pytest.mark.parametrize("name", ["alice.zip", "alice.tar.gz", "alice.tar"])
@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04", b"\x1f\x8b", b"Rar!\x1a" * 300])
def test_what_is_no_archive_is_rejected(uploads, tmp_path, name, content):
    with pytest.raises(Rejected, match=f"`{name}` is .*; .*\\.$"):
        unpack(uploads.raw(content, name), tmp_path / "out")


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9, 0.99])
def test_cut_archives_are_rejected(packed, tmp_path, kept):
    upload = packed({f"{i}.bin": os.urandom(3000) for i in range(9)})
    data = upload.read_bytes().rstrip(b"\0")
    upload.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(Rejected, match="is damaged or was cut short"):
        unpack(upload, tmp_path / "out")


def test_contents_decide_over_names_and_links_and_used_folders_are_refused(
    uploads, a4, tmp_path, files_in
):
    unpack(uploads.tar(a4).rename(uploads.folder / "bob.zip"), tmp_path / "out")
    assert files_in(tmp_path / "out") == a4
    link = uploads.folder / "link.zip"
    link.symlink_to(uploads.zip(a4))
    with pytest.raises(Rejected, match=r"`link\.zip` is not a file; upload a folder"):
        unpack(link, tmp_path / "other")
    (tmp_path / "out/mine").write_text("mine")
    with pytest.raises(FileExistsError, match="is not empty"):
        unpack(uploads.zip(a4), tmp_path / "out")
    assert (tmp_path / "out/mine").read_text() == "mine"


PARTS = st.sampled_from(
    ["..", ".", "", "a", "A", "b.py", "C:", "\\", "é", "e\u0301", "\n", "venv", " "]
)
NAMES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.lists(PARTS, max_size=6).map("/".join),
    st.lists(PARTS, max_size=6).map("\\".join),
)


@FIXTURES_KEPT
@given(names=st.lists(NAMES, max_size=5))
def test_any_names_stay_inside(names, uploads, tmp_path_factory, files_in):
    for upload in (
        uploads.zip([(name, b"x") for name in names]),
        uploads.tar([(name, b"x") for name in names]),
    ):
        outside = tmp_path_factory.mktemp("work")
        into = outside / "a" / "into"
        into.mkdir(parents=True)
        try:
            unpack(upload, into)
        except Rejected as error:
            assert list(into.iterdir()) == []
            assert str(error).isprintable()  # noqa: PT017 - a rejection is allowed, not required
        else:
            assert 1 <= len(files_in(into)) <= len(names)
        assert all(into in path.parents for path in outside.rglob("*") if path.is_file())


@FIXTURES_KEPT
@given(data=st.data(), kind=st.sampled_from(["zip", "tar", "tar.gz"]))
def test_any_damage_is_a_rejection(data, kind, uploads, a4, tmp_path_factory):
    upload = uploads.zip(a4) if kind == "zip" else uploads.tar(a4, name=f"alice.{kind}")
    content = bytearray(upload.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    upload.write_bytes(content)
    into = tmp_path_factory.mktemp("work") / "into"
    try:
        unpack(upload, into)
    except Rejected:
        assert list(into.iterdir()) == []


def test_full_disks_are_not_the_students_fault(uploads, a4, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.chmod", full)
    with pytest.raises(OSError, match="No space left"):
        unpack(uploads.zip(a4), tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
    assert zipfile.is_zipfile(uploads.folder / "alice.zip")
