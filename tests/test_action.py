"""action.yml matches the schema of such files, and its scripts run as on a runner."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from junitparser import JUnitXml

from reference.data.world import write_world
from tests.conftest import RIGHT, write_files

ROOT = Path(__file__).parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = ACTION["runs"]["steps"]
SCRIPTS = {step["name"]: step for step in STEPS if "run" in step}
BASH = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]  # what `shell: bash` stands for
# A repository that would like to be imported in place of what the grader imports.
WRONG = {
    "work.py": "import os\n\ndef double(x):\n    raise ValueError(sorted(os.environ))\n",
    "conftest.py": "raise SystemExit('imported')\n",
    "json.py": "raise SystemExit('imported')\n",
    "pip.py": "raise SystemExit('imported')\n",
    "sitecustomize.py": "raise SystemExit('imported')\n",
}


def check_schema(name, file):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", name, file]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def runner(tmp_path):
    """`runner(name, folder, **inputs)` runs the script of a step after a checkout of `folder`."""
    programs, temp = tmp_path / "programs", tmp_path / "runner-temp"
    programs.mkdir()
    temp.mkdir()
    program = programs / "softmark"  # as pip would have installed it
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT / "grade.py"}" "$@"\n')
    program.chmod(0o755)
    base = {"GITHUB_ACTION_PATH": str(ROOT), "RUNNER_TEMP": str(temp), "GITHUB_TOKEN": "a-secret"}
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ENV"):
        (tmp_path / name).touch()
        base[name] = str(tmp_path / name)

    def run(name, folder, **inputs):
        (tmp_path / "script.sh").write_text(SCRIPTS[name]["run"])
        environment = base | {"PATH": f"{programs}:{os.environ['PATH']}"} | stated(name, inputs)
        command = [*BASH, str(tmp_path / "script.sh")]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)

    return run


def stated(name, inputs):
    """The step's own environment, with the expressions read."""
    values = {key: entry.get("default", "") for key, entry in ACTION["inputs"].items()}
    values |= {key.replace("_", "-"): str(value) for key, value in inputs.items()}
    lookup = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")
    stated = SCRIPTS[name].get("env", {})
    return {key: lookup.sub(lambda m: values[m[1]], text) for key, text in stated.items()}


def written(folder):
    """What the step left: its output `folder`, the summary, the environment of later steps."""
    output = dict(line.split("=", 1) for line in (folder / "GITHUB_OUTPUT").read_text().split())
    summary = (folder / "GITHUB_STEP_SUMMARY").read_text()
    assert (folder / "GITHUB_ENV").read_text() == ""
    return Path(output["folder"]), summary


def test_the_action_fits_the_schema_and_uses_every_input():
    check_schema("vendor.github-actions", ROOT / "action.yml")
    used = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text()))
    assert used == set(ACTION["inputs"])


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_bash_that_runs_nothing_of_the_repository(name):
    script = SCRIPTS[name]["run"]
    assert subprocess.run([*BASH, "-n"], input=script, text=True).returncode == 0
    assert "${{" not in script  # what a workflow puts in there would be run
    calls = re.findall(r"\bpython3?\b(.*)", script)
    assert all(call.startswith(" -I -m pip install ") for call in calls)


def test_a_right_submission_passes_the_step(runner, tiny_folder, hand_in, tmp_path):
    folder = hand_in(work_py=RIGHT, answer_txt="42")
    done = runner("Grade", folder, assignment=tiny_folder, fail_below="100%")
    assert done.returncode == 0, done.stderr
    out, summary = written(tmp_path)
    assert summary.startswith("## Double a number: 6 of 6 points")
    assert JUnitXml.fromfile(str(out / "junit.xml")).failures == 0
    assert (out / "classroom50.json").is_file()
    assert (out / "reports" / "ada.html").is_file()


def test_a_wrong_one_fails_it_and_learns_where(runner, tiny_folder, hand_in, tmp_path):
    folder = hand_in("a b;$(touch pwned)", answer_txt="0")
    write_files(folder, WRONG)
    done = runner("Grade", folder.parent, assignment=tiny_folder, path=folder.name, fail_below=2)
    assert done.returncode == 3, done.stderr
    out, summary = written(tmp_path)
    assert "::error file=a b;$(touch pwned)/work.py,line=4,title=Doubling::" in done.stdout
    assert "0 of 6 points" in summary
    assert JUnitXml.fromfile(str(out / "junit.xml")).failures == 2
    assert not any("imported" in text for text in (summary, done.stdout, done.stderr))
    assert "PATH" in summary  # it did print the variables that it sees
    assert "GITHUB" not in summary + done.stdout


def test_the_other_inputs_reach_the_command(runner, tiny_folder, hand_in, tmp_path):
    folder = hand_in(work_py="", answer_txt="41")
    write_world(folder / "data")
    inputs = {"hidden": "true", "only": "answer", "data": "data"}
    runner("Grade", folder, assignment=tiny_folder, **inputs)
    _, summary = written(tmp_path)
    assert "This includes hidden criteria and is for staff only" in summary
    assert "| The answer |" in summary
    assert "| Doubling |" not in summary


def workflows():
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    return [text for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "jobs:" in text]


@pytest.mark.parametrize("index", range(2))
def test_the_workflows_of_the_docs_fit_the_schema(index, tmp_path):
    file = tmp_path / "workflow.yml"
    file.write_text(workflows()[index])
    check_schema("vendor.github-workflows", file)
    workflow = yaml.safe_load(file.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    inputs = [step["with"] for step in steps if "softmark" in step["uses"]]
    assert inputs
    assert all(set(names) <= set(ACTION["inputs"]) for names in inputs)
