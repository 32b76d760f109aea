import os
import stat
import struct
import zipfile

import pytest

from submissions.archives.archive import unpack
from submissions.limits import UnpackLimits
from submissions.submission import Rejected
from tests.conftest import replaced


def entry(name, mode=0, system=3):
    info = zipfile.ZipInfo("x")
    info.filename, info.external_attr, info.create_system = name, mode << 16, system
    return info


def patched(path, changes):
    """The zip with bytes exchanged everywhere (in the local headers and in the directory)."""
    path.write_bytes(replaced(path.read_bytes(), *changes))
    return path


def headers(path, *, local, directory, value, width="<H"):
    """The zip with one field of its first local header and its first directory entry set."""
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    if local is not None:
        struct.pack_into(width, data, local, value)
    struct.pack_into(width, data, at + directory, value)
    path.write_bytes(data)
    return path


def test_macos_zips_pass(uploads, tmp_path, files_in):
    names = ("AAAAAA/src/dataset.py", "__MACOSX/AAAAAA/src/._dataset.py", "AAAAAA/Icon\r")
    entries = [(entry(name, stat.S_IFREG | 0o644), b"x") for name in names]
    upload = uploads.zip([(entry("AAAAAA/", stat.S_IFDIR | 0o755), b""), *entries])
    patched(upload, [(b"AAAAAA", "Übung".encode())])  # UTF-8 without the flag, as Finder writes
    unpack(upload, tmp_path / "out")
    assert files_in(tmp_path / "out") == {"Übung/src/dataset.py": b"x"}


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        (
            [(entry("a4\\src\\", 0, 0), b""), (entry("a4\\src\\dataset.py", 0, 0), b"x")],
            "a4/src/dataset.py",  # as Windows writes
        ),
        ({"東/naïve é.py": b"x"}, "東/naïve é.py"),
        (
            [("a.py", b"x"), (entry("venv/bin/python", stat.S_IFLNK | 0o777), b"/usr/bin/python")],
            "a.py",  # a link in an environment is left out with it
        ),
    ],
    ids=["backslashes", "UTF-8", "environment"],
)
def test_usual_zips_pass(uploads, tmp_path, files_in, entries, found):
    unpack(uploads.zip(entries), tmp_path / "out")
    assert files_in(tmp_path / "out") == {found: b"x"}


@pytest.mark.parametrize("flagged", ["é", "AA"])
def test_names_in_other_encodings_are_rejected(uploads, tmp_path, flagged):
    upload = uploads.zip({f"src/{flagged}.py": b"x"})
    patched(upload, [(flagged.encode(), b"\x82\xff")])
    with pytest.raises(
        Rejected, match=r"contains `src/\\x82\\xff.py`, whose name is not UTF-8 text; rename"
    ):
        unpack(upload, tmp_path / "out")


@pytest.mark.parametrize(
    ("mode", "problem"),
    [
        (stat.S_IFLNK, "a link; put the file itself there"),
        (stat.S_IFIFO, "not a regular file; leave it out"),
        (stat.S_IFCHR, "not a regular file; leave it out"),
        (stat.S_IFBLK, "not a regular file; leave it out"),
        (stat.S_IFSOCK, "not a regular file; leave it out"),
    ],
)
def test_links_and_devices_are_rejected(uploads, tmp_path, mode, problem):
    upload = uploads.zip([("a.py", b"x"), (entry("evil", mode | 0o777), b"/etc/passwd")])
    with pytest.raises(Rejected, match=f"contains `evil`, .*{problem}"):
        unpack(upload, tmp_path / "out")


def test_folders_by_mode_are_folders(uploads, tmp_path):
    upload = uploads.zip([("a.py", b"x"), (entry("sub", stat.S_IFDIR | 0o755), b"")])
    unpack(upload, tmp_path / "out")
    assert (tmp_path / "out/sub").is_dir()


@pytest.mark.parametrize(
    ("local", "directory", "value", "problem"),
    [
        (6, 8, 1, r"contains `a\.py`, which is encrypted; pack it without a password"),
        *((8, 10, method, "packed with an unusual method; pack") for method in (9, 12, 14, 93, 99)),
        (None, 6, 200, "needs a newer unpacker"),
    ],
)
def test_zips_of_other_kinds_are_rejected(uploads, tmp_path, local, directory, value, problem):
    upload = headers(uploads.zip({"a.py": b"x"}), local=local, directory=directory, value=value)
    with pytest.raises(Rejected, match=problem):
        unpack(upload, tmp_path / "out")


@pytest.mark.parametrize("declared", [0, 10, 5000, 2**31])
def test_lying_sizes_are_rejected(uploads, tmp_path, declared):
    upload = headers(
        uploads.zip({"a.py": b"x" * 1000}), local=22, directory=24, value=declared, width="<I"
    )
    with pytest.raises(Rejected, match="is damaged or was cut short"):
        unpack(upload, tmp_path / "out")


def test_a_smaller_size_with_its_own_sum_writes_no_more(uploads, tmp_path, files_in):
    upload = uploads.zip({"a.py": b"x" * 1000})
    headers(upload, local=22, directory=24, value=10, width="<I")
    headers(upload, local=14, directory=16, value=zipfile.crc32(b"x" * 10), width="<I")
    unpack(upload, tmp_path / "out")
    assert files_in(tmp_path / "out") == {"a.py": b"x" * 10}


def test_wrong_sums_or_two_names_for_one_entry_are_rejected(uploads, tmp_path):
    upload = headers(uploads.zip({"a.py": b"x"}), local=14, directory=16, value=7, width="<I")
    with pytest.raises(Rejected, match=r"damaged or was cut short \(Bad CRC"):
        unpack(upload, tmp_path / "out")
    upload = uploads.zip({"good.py": b"x"})
    data = upload.read_bytes()
    upload.write_bytes(data.replace(b"good.py", b"evil.py", 1))  # the local header only
    with pytest.raises(Rejected, match="damaged or was cut short"):
        unpack(upload, tmp_path / "out")


def test_a_bomb_beside_noise_is_found(uploads, tmp_path):
    limits = UnpackLimits(ratio_from=20_000)
    upload = uploads.zip({"noise": os.urandom(50_000), "zeros": bytes(300_000)})
    with pytest.raises(Rejected, match="contains `zeros`, which unpacks to more than 100 times"):
        unpack(upload, tmp_path / "out", limits)


def test_entries_are_counted_before_they_are_read(uploads, tmp_path):
    upload = uploads.raw(b"PK\x03\x04" + b"PK\x01\x02" * 101, "alice.zip")
    with pytest.raises(Rejected, match="more than 100 files and folders"):
        unpack(upload, tmp_path / "out", UnpackLimits(max_entries=100))


def test_names_after_a_nul_are_not_hidden(uploads, tmp_path):
    upload = patched(uploads.zip({"good.pyXevil": b"x"}), [(b"pyX", b"py\0")])
    message = r"`good.py\\x00evil`, whose name contains control characters"
    with pytest.raises(Rejected, match=message):
        unpack(upload, tmp_path / "out")
