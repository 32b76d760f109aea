"""The setup that the docs assume: a small course with everything that their commands name."""

import shutil

from graders.registry.discovery import load_assignment
from graders.written.template import template_of
from reference.data.world import write_world
from tests.planted import examples_of

UPLOADS = {"ada": "correct-plain", "bob": "wrong-always-first"}
GRADEBOOK = """Student,ID,SIS User ID,SIS Login ID,Section
    Points Possible,,,,
"Lovelace, Ada",7,1815,ada,A
"Babbage, Bob",8,1791,bob,A
"""
ROSTER = """submission,name,email,student_id,section
ada,Ada Lovelace,ada@example.edu,1815,A
bob,Bob Babbage,bob@example.edu,1791,A
"""
METADATA = """---
submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '1815'
    :email: ada@example.edu
  :created_at: 2026-03-01 11:58:00.000000000 Z
submission_2:
  :submitters:
  - :name: Bob Babbage
    :sid: '1791'
    :email: bob@example.edu
  :created_at: 2026-03-01 11:59:00.000000000 Z
"""


def write_course(place):
    """Uploads in each form, the course's files, a gradebook and a roster, below `place`."""
    export = place / "assignment_4711_export"
    for number, (student, example) in enumerate(UPLOADS.items(), 1):
        shutil.copytree(examples_of("cs224n-a4") / example, place / "uploads" / student)
        shutil.copytree(examples_of("cs224n-a4") / example, export / f"submission_{number}")
    (export / "submission_metadata.yml").write_text(METADATA)
    template = template_of(load_assignment("cs224n-a4"), "md", None)
    for ada in (place / "uploads" / "ada", export / "submission_1"):
        (ada / "answers.md").write_text(template)
    shutil.copytree(examples_of("cs224n-a4") / UPLOADS["ada"], place / "submission")
    shutil.make_archive(str(place / "ada"), "zip", examples_of("cs224n-a4") / UPLOADS["ada"])
    write_world(place / "birthplaces")
    (place / "gradebook.csv").write_text(GRADEBOOK)
    (place / "roster.csv").write_text(ROSTER)
