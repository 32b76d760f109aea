import gzip
import tarfile

import pytest

from submissions.archives.archive import unpack
from submissions.limits import UnpackLimits
from submissions.submission import Rejected

FORMATS = pytest.mark.parametrize(
    "format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]
)


def entry(name, kind=tarfile.REGTYPE, **fields):
    info = tarfile.TarInfo(name)
    info.type = kind
    for field, value in fields.items():
        setattr(info, field, value)
    return info


@FORMATS
def test_all_formats_pass(uploads, tmp_path, files_in, format):
    entries = [
        (entry("./", tarfile.DIRTYPE), b""),
        (entry("./a 4/", tarfile.DIRTYPE), b""),
        (entry(f"./a 4/{'long name ' * 9}/é.py", mode=0o4777), b"x"),
    ]
    unpack(uploads.tar(entries, format=format), tmp_path / "out")
    assert files_in(tmp_path / "out") == {f"a 4/{'long name ' * 9}/é.py": b"x"}


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (tarfile.SYMTYPE, "a link; put the file itself there"),
        (tarfile.LNKTYPE, "a link; put the file itself there"),
        (tarfile.CHRTYPE, "not a regular file; leave it out"),
        (tarfile.BLKTYPE, "not a regular file; leave it out"),
        (tarfile.FIFOTYPE, "not a regular file; leave it out"),
        (b"Z", "not a regular file; leave it out"),
    ],
)
def test_links_and_devices_are_rejected(uploads, tmp_path, kind, problem):
    upload = uploads.tar([("a.py", b"x"), (entry("evil", kind, linkname="a.py"), b"")])
    with pytest.raises(Rejected, match=f"`alice.tar.gz` contains `evil`, .*{problem}"):
        unpack(upload, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_environments_with_links_are_left_out(uploads, tmp_path, files_in):
    link = entry("a4/venv/bin/python", tarfile.SYMTYPE, linkname="/usr/bin/python")
    library = ("a4/venv/lib/x.py", b"y" * 5000)
    unpack(uploads.tar([(link, b""), library, ("a4/a.py", b"x")]), tmp_path / "out")
    assert files_in(tmp_path / "out") == {"a4/a.py": b"x"}


def test_holes_and_names_that_are_not_utf8_are_rejected(uploads, tmp_path):
    sparse = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "99999999"}
    upload = uploads.tar(
        [(entry("a.py", pax_headers=sparse), b"1\n0\n1\n".ljust(512, b"\0") + b"x")]
    )
    with pytest.raises(Rejected, match=r"contains `a.py`, stored with holes; pack a .zip instead"):
        unpack(upload, tmp_path / "out")
    upload = uploads.tar([("a\udcff.py", b"x")], format=tarfile.GNU_FORMAT)
    with pytest.raises(Rejected, match=r"contains `a\\udcff.py`, whose name is not UTF-8 text"):
        unpack(upload, tmp_path / "out")


def test_foreign_user_names_are_no_error(uploads, tmp_path, files_in):
    upload = uploads.tar([(entry("a.py", uname="J\udcfcrgen"), b"x")], format=tarfile.GNU_FORMAT)
    unpack(upload, tmp_path / "out")
    assert files_in(tmp_path / "out") == {"a.py": b"x"}


def test_a_bad_header_or_a_missing_end_is_damage(uploads, tmp_path):
    upload = uploads.tar({"a.py": b"x", "b.py": b"y"}, name="a.tar")
    upload.write_bytes(upload.read_bytes().replace(b"b.py", b"c.py"))  # its sum is wrong now
    with pytest.raises(Rejected, match=r"damaged or was cut short \(bad header\)"):
        unpack(upload, tmp_path / "out")
    upload = uploads.tar({"a.py": b"x"}, name="a.tar")
    upload.write_bytes(upload.read_bytes()[:1024])
    with pytest.raises(Rejected, match="ends too early"):
        unpack(upload, tmp_path / "out")
    upload = uploads.raw(
        entry("a.py", size=1 << 40).tobuf(tarfile.GNU_FORMAT) + b"x" * 512, "a.tar"
    )
    with pytest.raises(Rejected, match="damaged or was cut short"):
        unpack(upload, tmp_path / "out")
    upload = uploads.tar({"a.py": b"x"})
    data = bytearray(upload.read_bytes())
    data[-8] ^= 1
    upload.write_bytes(data)
    with pytest.raises(Rejected, match=r"damaged or was cut short \(CRC check failed"):
        unpack(upload, tmp_path / "out")


def test_endless_or_nested_headers_are_rejected(uploads, tmp_path):
    huge = entry("a.py", pax_headers={"comment": "x" * 2_000_000})
    with pytest.raises(Rejected, match="an entry's header is too long"):
        unpack(uploads.tar([(huge, b"x")]), tmp_path / "out", UnpackLimits(ratio=10_000))
    name = entry("././@LongLink", tarfile.GNUTYPE_LONGNAME, size=0).tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(Rejected, match="damaged or was cut short"):
        unpack(uploads.raw(name * 5000, "a.tar"), tmp_path / "out")


def test_skipped_bytes_and_those_after_the_end_count_too(uploads, tmp_path):
    plain = uploads.tar({"a.py": b"x"}, name="a.tar").read_bytes()
    for upload in (
        uploads.tar({"venv/zeros": bytes(300_000), "a.py": b"x"}),
        uploads.raw(gzip.compress(plain + bytes(300_000)), "a.tar.gz"),
    ):
        with pytest.raises(Rejected, match="to more than 100 times its size"):
            unpack(upload, tmp_path / "out", UnpackLimits(ratio_from=100_000))


def test_blanks_after_the_end_are_no_error(uploads, tmp_path, files_in):
    plain = uploads.tar({"a.py": b"x"}, name="a.tar").read_bytes()
    unpack(uploads.raw(plain + bytes(30_000), "a.tar"), tmp_path / "out")
    assert files_in(tmp_path / "out") == {"a.py": b"x"}
