"""Create a course of 60 invented students from the planted examples, and grade it.

    python benchmarks/demo_course.py --out DIR [--images DIR]

DIR/uploads contains the submissions: code of one example for span corruption and of another for the
rotary embedding, with predictions drawn at a separate accuracy for each student.
DIR/graded/index.html is the course page. The frequencies are those in public solutions of the
assignment: two in five rotary embeddings are incorrect, and half of those copy one misprint. A
quarter of the students submitted before, with a mistake. The store also has adjustments, comments
and regrade requests: `python grade.py serve DIR/graded` shows what staff have in the first week.
--images takes the screenshots in the README, with an installed Chromium, and prints how tall the
students' pages are.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from graders.audit.examples import write_examples
from graders.data.birthplaces import Data, open_data
from graders.data.demo import draw_predictions
from graders.registry.discovery import load_assignment
from graders.storage.csv_cells import table
from graders.storage.requests import code_of
from graders.storage.store import read_store

ROOT = Path(__file__).parents[1]
STUDENTS, EARLIER = 60, 15
FIRST = "_first"
SEED = 60
SIZES = ((1280, 1500), (360, 1000))  # pixels: a laptop, a phone
GIVEN = (
    "Ada", "Bela", "Chidi", "Dana", "Emre", "Farah", "Goran", "Hana", "Ines", "Jomo", "Kofi",
    "Lena", "Mina", "Nuru", "Oksana",
)  # fmt: skip
FAMILY = (
    "Abara", "Brandt", "Castel", "Dorn", "Ekman", "Farkas", "Grau", "Haldane", "Ikeda",
    "Jansky", "Kovar", "Lund",
)  # fmt: skip
WRONG_CORRUPTIONS = (
    "wrong-never-cut", "wrong-limit-half", "wrong-no-padding", "wrong-content-fixed",
    "wrong-mean-half", "wrong-second-mask-missing", "wrong-shift-by-two", "wrong-x-y-swapped",
)  # fmt: skip
MISPRINT = "wrong-rotary-component-wise"
WRONG_ROTARIES = (
    "wrong-rotary-half-split", "wrong-rotary-base", "wrong-rotary-positions-from-one",
    "wrong-rotary-query-only", "wrong-rotary-minus-missing", "wrong-rotary-not-written",
)  # fmt: skip
TRAINED = {"nopretrain": (0.0, 0.04), "pretrain": (0.12, 0.34), "rope": (0.22, 0.45)}


def main() -> None:
    """Create a course, and images of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--images", type=Path, help="take screenshots of what was graded")
    options = parser.parse_args()
    grade(options.out)
    if options.images is not None:
        take_images(options.out / "graded", options.images)


def grade(out: Path) -> None:
    """Create the uploads and grade them."""
    uploads, roster = out / "uploads", out / "roster.csv"
    shutil.rmtree(out, ignore_errors=True)
    draw = random.Random(SEED)
    with open_data(None) as data, tempfile.TemporaryDirectory() as work:
        examples = write_examples(load_assignment("cs224n-a4"), Path(work))
        for name in students(draw):
            make_upload(uploads / name, examples, data, draw)
        spoil(sorted(uploads.iterdir()), draw)
        before = draw.sample(
            sorted(upload for upload in uploads.iterdir() if upload.is_dir()), EARLIER
        )
        for folder in before:
            make_earlier(folder, examples, draw)
    write_roster(roster, sorted(path.name for path in uploads.iterdir()))
    words = ("--attempts", "best", "--only", "code,metric", "--inputs", "public")
    # One upload cannot be opened: exit code 1.
    softmark("batch", "cs224n-a4", uploads, "--out", out / "graded", "--roster", roster, *words)
    act(out / "graded")


def softmark(*words: object) -> None:
    """Run a command, which may end with any code."""
    subprocess.run([sys.executable, ROOT / "grade.py", *map(str, words)], check=False)


def act(graded: Path) -> None:
    """Do what staff do in the first week: adjust, comment, take and answer requests."""
    results = [json.loads(path.read_text()) for path in (graded / "results").glob("*.json")]
    wrong = sorted(result["submission"]["id"] for result in results if lost(result, "rotary"))
    with read_store(graded) as store:
        key = store.course_key()
    for name in wrong[:3]:
        reason = ("--reason", "My table has the values of the handout.")
        file = graded.parent / f"{name}.json"
        softmark("appeal", code_of(key, name), "rotary", *reason, "-o", file)
        softmark("requests", graded, "--from", file)
    staff = ("--reviewer", "Rea")
    options = ("--grant", "--comment", "You are right: your table is correct.", *staff)
    softmark("requests", graded, 1, *options)
    softmark("requests", graded, 2, "--answer", "--comment", "Which row do you mean?", *staff)
    for name, *points in ((wrong[0], "--waive"), (wrong[4], "--points", "2")):
        softmark(
            "adjust", graded, name, "rotary", *points, "--comment", "After your request.", *staff
        )
    softmark("comment", graded, wrong[1], "--comment", "See the exercise on Monday.", *staff)
    softmark("attempts", graded)
    softmark("similarity", graded.parent / "uploads", "--out", graded / "similarity")


def make_earlier(folder: Path, examples: Sequence[Path], draw: random.Random) -> None:
    """Write what a student submitted two days before: the same, with a mistake."""
    named = {example.name: example for example in examples}
    first = folder.with_name(f"{folder.name}{FIRST}")
    shutil.copytree(folder, first)
    code = (named[draw.choice(WRONG_CORRUPTIONS)] / "src" / "dataset.py").read_text()
    (first / "src" / "dataset.py").write_text(f"{code}\n# {folder.name}\n")
    then = time.time() - 2 * 86_400
    for path in (first, *first.rglob("*")):
        os.utime(path, (then, then))


def write_roster(file: Path, submissions: Sequence[str]) -> None:
    """Write who submitted what; both attempts of a student belong to one address."""
    rows = [("submission", "name", "email", "section")]
    for submission in submissions:
        name = submission.removesuffix(".zip").removesuffix(FIRST)
        section = "AB"[len(name) % 2]
        rows.append((submission, name.replace("-", " "), f"{name.lower()}@example.edu", section))
    file.write_text(table(rows))


def students(draw: random.Random) -> list[str]:
    """Return the required number of different names."""
    names = [f"{family}-{given}" for family in FAMILY for given in GIVEN]
    return sorted(draw.sample(names, STUDENTS))


def make_upload(folder: Path, examples: Sequence[Path], data: Data, draw: random.Random) -> None:
    """Write one student's files."""
    (folder / "src").mkdir(parents=True)
    named = {path.name: path for path in examples}
    corruption = draw.choice(WRONG_CORRUPTIONS if draw.random() < 0.35 else right(examples))
    rotary = draw.choice(right(examples))
    if draw.random() < 0.4:
        rotary = MISPRINT if draw.random() < 0.5 else draw.choice(WRONG_ROTARIES)
    for example, file in ((corruption, "dataset.py"), (rotary, "attention.py")):
        code = (named[example] / "src" / file).read_text()
        (folder / "src" / file).write_text(f"{code}\n# {folder.name}\n")  # nobody's copy
    places = sorted({*data.train, *data.dev})
    for variant, model in (("vanilla", "nopretrain"), ("vanilla", "pretrain"), ("rope", "rope")):
        accuracy, part = draw.uniform(*TRAINED[model]), "pretrain" if model == "rope" else model
        for split, answers in (("dev", data.dev), ("test", data.test or ())):
            predictions = draw_predictions(answers, places, accuracy, draw)
            (folder / f"{variant}.{part}.{split}.predictions").write_text(predictions)
    london = "london_baseline_accuracy.txt"
    shutil.copy(named["correct-plain"] / london, folder / london)


def right(examples: Sequence[Path]) -> list[str]:
    """Return the examples whose code is correct, in the two usual files."""
    return [
        example.name
        for example in examples
        if example.name.startswith("right-")
        and sorted(path.name for path in (example / "src").glob("*"))
        == ["attention.py", "dataset.py"]
    ]


def spoil(uploads: Sequence[Path], draw: random.Random) -> None:
    """Add other problems of a batch of sixty: a broken archive, a missing file, a copied one."""
    broken, lost, lender, borrower = draw.sample(list(uploads), 4)
    shutil.rmtree(broken)
    broken.with_suffix(".zip").write_bytes(b"PK\x03\x04 cut off")
    (lost / "rope.pretrain.test.predictions").unlink()
    for file in (*lender.glob("vanilla.pretrain.*"), lender / "src" / "dataset.py"):
        shutil.copy(file, borrower / file.relative_to(lender))


def take_images(graded: Path, images: Path) -> None:
    """Take images of the course page and of a student with the most common mistake."""
    from playwright.sync_api import sync_playwright

    results = (json.loads(path.read_text()) for path in (graded / "results").glob("*.json"))
    wrong = sorted(result["submission"]["id"] for result in results if lost(result, "rotary"))
    pages = {"course": graded / "index.html", "student": graded / "reports" / f"{wrong[0]}.html"}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        for (name, page), (width, height) in product(pages.items(), SIZES):
            view = browser.new_page(viewport={"width": width, "height": height})
            view.goto(page.resolve().as_uri())
            view.screenshot(path=images / f"{name}-{width}.png")
        tall = sorted(height_of(browser, path) for path in (graded / "reports").glob("*.html"))
        browser.close()
    middle = statistics.median(tall)
    print(f"students' pages: {tall[0]:,} to {tall[-1]:,} pixels tall, median {middle:,.0f}")


def height_of(browser: Any, page: Path) -> int:
    """Return the height of a page in a laptop's window, in pixels."""
    width, height = SIZES[0]
    view = browser.new_page(viewport={"width": width, "height": height})
    view.goto(page.resolve().as_uri())
    tall: int = view.evaluate("document.documentElement.scrollHeight")
    view.close()
    return tall


def lost(result: dict[str, Any], criterion: str) -> bool:
    """Return whether a criterion has less than all its points."""
    scores = (score for score in result["criteria"] if score["id"] == criterion)
    return any((score["points"] or 0) < score["max_points"] for score in scores)


if __name__ == "__main__":
    main()
