"""The configuration files of docs/scaling.md are valid, and use options of the command."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = ROOT / "docs" / "scaling"


def test_the_slurm_script_parses():
    bash = shutil.which("bash") or pytest.skip("no bash on this machine")
    assert subprocess.run([bash, "-n", FILES / "slurm.sh"]).returncode == 0


def test_the_manifest_describes_a_job_and_its_cluster():
    yaml = pytest.importorskip("yaml", reason="PyYAML comes with the extra `ray`")
    job, policy = yaml.safe_load_all((FILES / "kuberay.yaml").read_text())
    assert [job["kind"], policy["kind"]] == ["RayJob", "NetworkPolicy"]
    cluster = job["spec"]["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    for group in groups:
        pod = group["template"]["spec"]
        claims = {volume["name"] for volume in pod["volumes"]}
        assert {mount["name"] for c in pod["containers"] for mount in c["volumeMounts"]} <= claims


@pytest.mark.parametrize("name", ["slurm.sh", "kuberay.yaml"])
def test_the_commands_have_options_that_exist(name):
    text = (FILES / name).read_text()
    reference = (ROOT / "docs" / "reference.md").read_text()
    batch = reference.split("batch`", 2)[2].split("\n## ", 1)[0]
    command = re.search(r"grade\.py batch.*?--jobs", text, re.DOTALL)[0]
    options = set(re.findall(r"--[a-z]+", command))
    assert options >= {"--executor", "--jobs"}
    assert all(f"`{option}" in batch for option in options)
