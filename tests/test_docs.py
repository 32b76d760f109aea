"""The docs are true: every command, setting and link in them, and the files of docs/scaling."""

import re
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml

from graders.checks.compare import TOLERANCES
from graders.written.verifiers import VERIFIERS
from tests.console import ROOT

SCALING = ROOT / "docs" / "scaling"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_the_command_reference_is_up_to_date(tmp_path):
    file = tmp_path / "reference.md"
    command = [sys.executable, "-m", "typer", "grade.py", "utils", "docs"]
    command += ["--name", "python grade.py", "--title", "Commands", "--output", str(file)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert (ROOT / "docs" / "reference.md").read_text() == file.read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_dependency_has_its_reason_and_is_pinned_for_ci():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    reasons = (ROOT / "docs" / "dependencies.md").read_text()
    pinned = (ROOT / "constraints.txt").read_text().lower()
    needed = [re.split(r"[<>=]", line)[0] for line in project["dependencies"]]
    for name in needed:
        assert f"| {name} |" in reasons
    dev = [re.split(r"[<>=]", line)[0] for line in project["optional-dependencies"]["dev"]]
    for name in (*needed, *dev):
        assert f"\n{name.lower()}==" in f"\n{pinned}"


def test_the_readme_fits_on_a_few_screens():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


def test_every_tolerance_is_in_the_table():
    table = (ROOT / "docs" / "assignments.md").read_text()
    for name, row in TOLERANCES.items():
        assert f"| `{name}` | {row.absolute:g} | {row.relative:g} | {row.reason} |" in table


def test_every_verifier_is_in_the_table():
    table = (ROOT / "docs" / "written.md").read_text().partition("| verifiers |")[2]
    named = {
        name: path
        for names, path in re.findall(r"^\| (.+) \| .+ \| `(.+)` \|$", table, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", names)
    }
    assert named.keys() == VERIFIERS.keys()
    for name, path in named.items():
        assert path.removesuffix(".py").replace("/", ".") in f"{VERIFIERS[name].__module__}."


def test_the_slurm_script_parses():
    bash = shutil.which("bash") or pytest.skip("no bash on this machine")
    assert subprocess.run([bash, "-n", SCALING / "slurm.sh"]).returncode == 0


def test_the_manifest_describes_a_job_and_its_cluster():
    job, policy = yaml.safe_load_all((SCALING / "kuberay.yaml").read_text())
    assert [job["kind"], policy["kind"]] == ["RayJob", "NetworkPolicy"]
    cluster = job["spec"]["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    for group in groups:
        pod = group["template"]["spec"]
        claims = {volume["name"] for volume in pod["volumes"]}
        assert {mount["name"] for c in pod["containers"] for mount in c["volumeMounts"]} <= claims


@pytest.mark.parametrize("name", ["slurm.sh", "kuberay.yaml"])
def test_the_commands_have_options_that_exist(name):
    text = (SCALING / name).read_text()
    reference = (ROOT / "docs" / "reference.md").read_text()
    batch = reference.split("batch`", 2)[2].split("\n## ", 1)[0]
    command = re.search(r"grade\.py batch.*?--jobs", text, re.DOTALL)[0]
    options = set(re.findall(r"--[a-z]+", command))
    assert options >= {"--executor", "--jobs"}
    assert all(f"`{option}" in batch for option in options)
