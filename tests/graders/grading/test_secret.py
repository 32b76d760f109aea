"""A results folder has one secret: its gradings use equal inputs, and nobody else reads it."""

import json
import os
import sqlite3
import stat

import pytest
from typer.testing import CliRunner

import grade
from graders.boundary.tiers.sandbox import best_tier
from graders.checks.inputs import PUBLIC
from graders.errors import UsageError
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.grading.secret import new_secret, settle_inputs_seed
from graders.registry.discovery import load_assignment
from graders.storage.database import open_database
from graders.storage.store import FILE, open_store
from submissions.receive import identify
from tests.conftest import RIGHT

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def softmark(*words):
    return CliRunner().invoke(grade.app, [*map(str, words)], catch_exceptions=False)


def settled(out, inputs=""):
    with open_store(out) as store:
        return settle_inputs_seed(store, inputs)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


@pytest.fixture
def secret_file(tmp_path):
    file = tmp_path / "secret"
    file.write_text("0123456789abcdef" * 2 + "\n")
    file.chmod(0o600)
    return file


def test_new_secrets_have_128_bits_and_are_not_public():
    secrets = {new_secret() for _ in range(1000)}
    assert len(secrets) == 1000
    assert all(PUBLIC < secret < 2**128 for secret in secrets)
    assert max(secrets) > 2**127


@pytest.mark.parametrize("inputs", ["", "secret"])
def test_a_folder_keeps_its_own_secret(out, tmp_path, inputs):
    first = settled(out, inputs)
    assert first not in (PUBLIC, settled(tmp_path / "other"))
    assert settled(out) == settled(out, "secret") == first


def test_public_is_kept_where_it_was_asked_for(out):
    assert settled(out, "public") == settled(out, "public") == settled(out) == PUBLIC


def test_two_folders_share_the_secret_of_a_file(out, tmp_path, secret_file):
    shared = settled(out, str(secret_file))
    assert shared == settled(tmp_path / "other", str(secret_file)) != PUBLIC
    assert settled(out, "secret") == shared


@pytest.mark.parametrize(
    ("first", "then"), [("public", "secret"), ("secret", "public"), ("secret", "FILE")]
)
def test_inputs_of_a_folder_are_not_changed(out, secret_file, first, then):
    """Its submissions would be asked different things."""
    settled(out, first)
    with pytest.raises(UsageError, match="the saved results use") as refused:
        settled(out, then.replace("FILE", str(secret_file)))
    assert ("add `--inputs public`" in refused.value.hint) == (first == "public")


@pytest.mark.parametrize(
    ("mode", "text", "words"),
    [
        (0o644, "0123456789abcdef" * 2, "everyone on this machine can read it"),
        (0o600, "short", "too short"),
        (0o600, None, "no such file"),
    ],
)
def test_what_is_no_secret_is_refused(out, secret_file, mode, text, words):
    secret_file.unlink() if text is None else secret_file.write_text(text)
    if text is not None:
        secret_file.chmod(mode)
    with pytest.raises(UsageError, match=words):
        settled(out, str(secret_file))


def private(out):
    return not any(os.stat(path).st_mode & OTHERS for path in out.glob(f"{FILE}*"))


def test_store_is_private_from_its_first_moment(out):
    with open_store(out):
        assert private(out)


def test_store_from_before_becomes_private_with_its_secret(out):
    out.mkdir()
    with open_database(out / FILE) as connection:
        connection.execute("DROP TABLE IF EXISTS inputs")
    (out / FILE).chmod(0o644)
    with open_store(out) as store:
        settle_inputs_seed(store)
        assert private(out)


def forms_of(draw):
    """How a secret could be written down."""
    texts = (str(draw), f"{draw:x}", f"{draw:X}")
    return [*(text.encode() for text in texts), draw.to_bytes(16, "big")]


@pytest.fixture
def batch(tiny_folder, hand_in, out):
    """Grades two submissions, one of which asks its process and fails."""
    hand_in("ada", work_py=RIGHT, answer_txt="42")
    uploads = hand_in("bob", work_py="def double(x):\n    raise ValueError(x)\n").parent

    def run(*more, into=out):
        words = ("batch", tiny_folder, uploads, "--out", into, "--executor", "serial", *more)
        done = softmark(*words)
        assert done.exit_code == 0, done.output
        return done

    return run


def results(out):
    return [json.loads(path.read_text()) for path in sorted(out.glob("results/*.json"))]


def test_secret_is_nowhere_but_in_the_store(batch, out):
    """And no page of a student's names which inputs were asked."""
    result = batch()
    forms = forms_of(settled(out))
    files = [path for path in out.rglob("*") if path.is_file() and not path.name.startswith(FILE)]
    assert len(files) > 8
    for file in files:
        assert not any(form in file.read_bytes() for form in forms), file
    assert not any(form in result.output.encode() for form in forms)
    with sqlite3.connect(out / FILE) as store:
        rows = store.execute("SELECT asked, keys, document, annex, address FROM results").fetchall()
    assert not any(form in repr(rows).encode() for form in forms)
    label = results(out)[0]["environment"]["inputs"].split()[-1]
    pages = [*out.glob("reports/*.html"), *out.glob("gradescope/*")]
    assert pages
    assert not any(label in page.read_text(encoding="utf-8") for page in pages)


@pytest.mark.long
def test_results_tell_staff_which_inputs_they_are_of(batch, out, tmp_path, secret_file):
    batch()
    batch("--inputs", "public", into=tmp_path / "public")
    batch("--inputs", secret_file, into=tmp_path / "one")
    batch("--inputs", secret_file, into=tmp_path / "two")
    folders = (out, tmp_path / "public", tmp_path / "one", tmp_path / "two")
    drawn, public, one, two = ({r["environment"]["inputs"] for r in results(f)} for f in folders)
    assert public == {"public"}
    assert one == two != drawn
    assert all(len(labels) == 1 and "sha256" in next(iter(labels)) for labels in (drawn, one))


HUNTER = """
HALVES = {halves!r}


def double(x):
    found = 0
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            first, last = (int(each, 16) for each in line.split()[0].split("-"))
            try:
                memory.seek(first)
                region = memory.read(last - first)
            except (OSError, ValueError, OverflowError):
                continue
            found += sum(held(region, *each) for each in HALVES)
    return 2 * x if found else x


def held(region, left, right):
    at = region.find(left)
    while at >= 0 and region[at + len(left) : at + len(left) + len(right)] != right:
        at = region.find(left, at + 1)
    return at >= 0
"""


@pytest.mark.parametrize("told", [False, True])
def test_secret_is_not_in_the_memory_of_the_child(tiny_folder, hand_in, out, told):
    """Code that looks for it byte by byte finds it only where it is told."""
    draw = settled(out)
    halves = [(form[:-4], form[-4:]) for form in forms_of(draw)]
    code = HUNTER.format(halves=halves) + (f"\nTOLD = b'{draw:x}'\n" if told else "")
    task, options = load_assignment(str(tiny_folder)), Options(best_tier(), inputs_seed=draw)
    upload = identify(hand_in(work_py=code, answer_txt="42"), task.name)
    result = grade_submission(upload, task, options)
    messages = {c.id: c.message for criterion in result.criteria for c in criterion.checks}
    assert messages["doubles"] == ("" if told else "The product is wrong.")


@pytest.mark.long
def test_same_command_asks_the_same_again(batch, out):
    batch()
    before = results(out)
    assert "2 of 2 reused from saved results" in batch().output
    batch("--force")
    for now, then in zip(results(out), before, strict=True):
        assert now["score"] == then["score"]
        assert now["environment"]["inputs"] == then["environment"]["inputs"]


def test_demo_and_batch_do_not_share_a_folder(batch, out):
    settled(out, "public")
    with pytest.raises(UsageError) as refused:
        batch()
    assert "choose another --out" in refused.value.hint


@pytest.mark.long
def test_retry_and_regrade_ask_what_was_asked(batch, out, tiny_folder):
    checks = tiny_folder / "checks.py"
    right = checks.read_text()
    checks.write_text(right.replace("text = submitted", "raise OSError; text = submitted"))
    with pytest.raises(AssertionError):
        batch()
    inputs = {result["environment"]["inputs"] for result in results(out)}
    checks.write_text(right)
    words = ("--out", out, "--executor", "serial")
    assert softmark("retry", *words).exit_code == 0
    assert {result["environment"]["inputs"] for result in results(out)} == inputs
    checks.write_text(right.replace("Nearly.", "Not quite."))
    assert softmark("regrade", tiny_folder, *words, "--publish").exit_code == 0
    assert {result["environment"]["inputs"] for result in results(out)} == inputs
    assert len(inputs) == 1
    assert all(result["status"] == "graded" for result in results(out))
