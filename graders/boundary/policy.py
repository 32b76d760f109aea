"""The security policy as one table: what a student's process sees, lacks and may use.

    sees      the interpreter and its packages (read-only), system libraries (read-only),
              /student/runtime (worker, wire, student side: read-only), /student/code (read-only),
              /student/scratch (writable, limited, gone afterwards), a private /proc and /dev
    lacks     network, other processes, other files, Softmark's own packages, its environment,
              capabilities, a way to new privileges
    may use   memory, CPU, processes, files and output up to the assignment's Limits, and one GPU
              where these Limits say so: its device files are then seen, too

The child of the Landlock tier sees the same files where they lie. The tier `none` hides nothing.
"""

import os
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graders.model import Limits

MiB = 2**20

SCRATCH_BYTES = 256 * MiB
TMP_BYTES = 16 * MiB
SHM_BYTES = 64 * MiB
FILE_BYTES = 256 * MiB  # the largest single file
TREE_BYTES = 2**30  # what all processes together may use above the memory of one
TREE_FILES = 20_000  # in the file systems of one child
OPEN_FILES = 256
SOCKET_BYTES = MiB  # that a filled socket may hold in the kernel, where nothing counts them
STACK_BYTES = 8 * MiB
START_SECONDS = 120.0  # importing torch from a cold disk
MAX_RESTARTS = 3  # crashes or timeouts in one criterion before the rest of it fails at once
GPU_ADDRESSES = 2**44  # a driver reserves terabytes of addresses, which are no memory
STUDENT_IDS = 0x7000_0000  # user ids from here on belong to nobody, not even to containers

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "USER": "student",
    "LOGNAME": "student",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "TORCHDYNAMO_DISABLE": "1",  # torch.compile would look for a compiler, which a child lacks
    "PYTHONHASHSEED": "0",  # the order of a set must not decide a grade
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUTF8": "1",
    "MPLBACKEND": "agg",
    # A child has no network: what looks for a model says so at once, and threads are few.
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_EVALUATE_OFFLINE": "1",
    # What `datasets` keeps its tables with would start a thread, and a warm parent may have none.
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "TOKENIZERS_PARALLELISM": "false",
}

# No code and no path of ours: -P keeps the script's folder off sys.path, -s the user's packages.
# Not -I, which would also ignore PYTHONHASHSEED; the environment is ours anyway.
PYTHON_FLAGS = ("-P", "-s", "-B", "-u")

SYSTEM_LIBRARIES = tuple(
    Path(each) for each in ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64")
)
SYSTEM_FILES = tuple(
    Path(each) for each in ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives")
)
PACKAGE_FOLDERS = ("site-packages", "dist-packages")
OUR_PACKAGES = (
    *("graders", "reference", "reports", "submissions", "commands", "packages"),
    *("benchmarks", "grade.py"),
)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a child finds its own files."""

    runtime: Path
    code: Path
    scratch: Path


INSIDE = Layout(Path("/student/runtime"), Path("/student/code"), Path("/student/scratch"))


def environment(scratch: Path) -> dict[str, str]:
    """The whole environment of a child; nothing of ours is inherited."""
    own = {"HOME": str(scratch), "TMPDIR": str(scratch)}
    if sys.platform == "win32":  # without these no program starts and no socket opens
        own |= {name: os.environ.get(name, "") for name in ("SYSTEMROOT", "PATH")}
    return ENVIRONMENT | own


def rlimits(limits: Limits, processes_before: int) -> dict[str, int]:
    """The kernel's limits on every process of the child, by the name of the constant.

    Two more, of memory and CPU time, are set later, above what importing torch took.
    """
    return {
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": FILE_BYTES,
        "RLIMIT_NOFILE": OPEN_FILES,
        "RLIMIT_NPROC": processes_before + limits.processes,
        "RLIMIT_MEMLOCK": MiB,
        "RLIMIT_STACK": STACK_BYTES,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_RTPRIO": 0,
    }


def together(limits: Limits) -> int:
    """Bytes of memory that all processes of a child may hold."""
    return limits.memory_bytes + TREE_BYTES


def address_space(limits: Limits) -> int:
    """Bytes of addresses above those of the libraries.

    Where a GPU takes them, what is really used is still bounded, by the watch over all processes.
    """
    return GPU_ADDRESSES if limits.gpu else limits.memory_bytes


def gpu_devices(limits: Limits, devices: Path = Path("/dev")) -> tuple[Path, ...]:
    """The device files of the GPUs, none where the Limits give no GPU."""
    return tuple(sorted(devices.glob("nvidia*"))) if limits.gpu else ()


def visible_gpu(limits: Limits) -> str:
    """CUDA_VISIBLE_DEVICES of a child: the first GPU that this process may use, or none."""
    ours = os.environ.get("CUDA_VISIBLE_DEVICES", "0")
    return ours.split(",")[0] if limits.gpu else ""


def visible() -> tuple[Path, ...]:
    """The files and folders of this machine that a child reads, parents before children."""
    found = {path for path in (*_interpreter(), *SYSTEM_LIBRARIES, *SYSTEM_FILES) if path.exists()}
    return tuple(sorted(found, key=lambda path: len(path.parts)))


def hidden(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Softmark's own files where they lie inside what is visible, as after `pip install`."""
    root = Path(__file__).resolve().parents[2]
    if root.name not in PACKAGE_FOLDERS:
        return (root,) if _inside(root, paths) else ()
    ours = [*(root / name for name in OUR_PACKAGES), *root.glob("softmark-*.dist-info")]
    return tuple(path for path in ours if path.exists() and _inside(path, paths))


def packages() -> tuple[str, ...]:
    """The folders of installed packages that this interpreter reads, for the child's sys.path."""
    return tuple(each for each in sys.path if Path(each).name in PACKAGE_FOLDERS)


def _interpreter() -> Iterator[Path]:
    for prefix in {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}:
        for name in ("bin", "lib", "lib64", "pyvenv.cfg"):
            yield Path(prefix) / name
    yield Path(sysconfig.get_path("stdlib"))
    yield from (Path(each) for each in packages())


def _inside(path: Path, folders: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(folder.resolve()) for folder in folders)
