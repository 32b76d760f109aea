"""A process in which the stand-ins are `ready`, for each snippet that a test runs.

`ready` changes the interpreter for good, so one process imports the libraries once, and every
snippet gets a fork of it: with warnings as errors, and with sockets that are detected.
"""

import importlib.util
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from graders.boundary import policy

GRADERS = Path(__file__).parents[3] / "graders"
SERVER = """
import os, socket, sys, time, traceback
import torch
import transformers.models.auto.modeling_auto
import transformers.models.auto.tokenization_auto
from transformers import BertModel, DistilBertModel, RobertaModel
import accelerate, datasets, evaluate, torchmetrics

asked = []

def refuse(*values, **named):
    asked.append(values)
    raise OSError("no network")

socket.getaddrinfo = socket.create_connection = socket.socket.connect = refuse

def run(path):
    import graders.adapting.offline
    graders.adapting.offline.ready()
    with open(path) as file:
        source = file.read()
    scope = {"__name__": "snippet", "asked": asked}
    exec("import torch; from transformers import AutoModel, AutoTokenizer", scope)
    exec(compile(source, path, "exec"), scope)
    assert not asked, asked
    # A thread that has ended is still listed for a moment when the machine is busy.
    ends = time.monotonic() + 10
    while len(os.listdir("/proc/self/task")) > 1 and time.monotonic() < ends:
        time.sleep(0.05)
    assert len(os.listdir("/proc/self/task")) == 1, "a thread was started, and goes on"

assert len(os.listdir("/proc/self/task")) == 1, "the warm process has threads: it could not fork"
for line in sys.stdin:
    path = line.strip()
    if (pid := os.fork()) == 0:
        output = os.open(path + ".out", os.O_WRONLY | os.O_CREAT)
        os.dup2(output, 1), os.dup2(output, 2)
        os.chdir(os.path.dirname(path))
        os.environ["HOME"] = os.getcwd()
        code = 1
        try:
            run(path)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush(), sys.stderr.flush()
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
os._exit(0)  # nothing is left to do, and ending in order takes seconds
"""


@pytest.fixture(scope="session")
def offline():
    for name in ("accelerate", "datasets", "evaluate", "torchmetrics"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    environment = {
        **policy.environment(Path("/nonexistent")),
        **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
    }
    environment["PYTHONPATH"] = f"{GRADERS}:{environment.get('PYTHONPATH', '')}"
    command = [sys.executable, "-W", "error", "-c", SERVER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        yield process
        process.stdin.close()


@pytest.fixture
def run_offline(offline, tmp_path):
    def run(snippet, *, prints=""):
        """Run a snippet; it must not fail, and print nothing but this."""
        path = tmp_path / "snippet.py"
        path.write_text(textwrap.dedent(snippet))
        offline.stdin.write(f"{path}\n")
        offline.stdin.flush()
        code = offline.stdout.readline().strip()
        output = Path(f"{path}.out").read_text()
        assert code == "0", output
        assert output.strip() == prints

    return run
