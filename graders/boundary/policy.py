"""Define the security policy in one place: what a student's process sees, lacks and may use.

    sees      the interpreter and its packages (read-only), system libraries (read-only),
              /student/runtime (worker, wire, student side: read-only), /student/code (read-only),
              /student/scratch (writable, limited, gone afterwards), a private /proc and /dev
    lacks     network, other processes, other files, Softmark's own packages, its environment,
              capabilities, a way to new privileges
    may use   memory, CPU, processes, files and output up to the assignment's Limits, and one GPU
              if these Limits allow it: its device files and driver are then visible, too

In the Landlock tier, a child sees the same files at their usual paths, but no GPU. The tier `none`
hides none.
"""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from graders.model import Limits

MiB = 2**20

SCRATCH_BYTES = 256 * MiB
TMP_BYTES = 16 * MiB
SHM_BYTES = 64 * MiB
FILE_BYTES = 256 * MiB  # the largest single file
TREE_BYTES = 2**30  # memory that all processes together may use above the limit of one
TREE_FILES = 20_000  # in the file systems of one child
OPEN_FILES = 256
SOCKET_BYTES = MiB  # a full socket may hold this many in the kernel, which no counter shows
STACK_BYTES = 8 * MiB
START_SECONDS = 120.0  # importing torch from a cold disk
MAX_FAULTS = 3  # crashes, timeouts or invalid replies in a criterion; then its other checks fail
# Prints which files the loader opens for the driver: it may lie in any folder.
LOADS_DRIVER = "import ctypes; ctypes.CDLL('libcuda.so.1'); print(open('/proc/self/maps').read())"
GPU_ADDRESSES = 2**44  # a driver reserves terabytes of addresses without using the memory
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
    # A child has no network: a library that looks for a model fails at once. Few threads.
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_EVALUATE_OFFLINE": "1",
    # The allocators of `datasets` would start a thread, and a warm parent must have only one.
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "TOKENIZERS_PARALLELISM": "false",
}

# None of our code or paths: -P keeps the script's folder off sys.path, -s the user's packages.
# Not -I, which would also ignore PYTHONHASHSEED; we set the whole environment anyway.
PYTHON_FLAGS = ("-P", "-s", "-B", "-u")

DEVICES = Path("/dev")
SYSTEM_LIBRARIES = tuple(
    Path(folder) for folder in ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64")
)
SYSTEM_FILES = tuple(
    Path(file) for file in ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives")
)
PACKAGE_FOLDERS = ("site-packages", "dist-packages")
OUR_PACKAGES = (
    "graders", "reference", "reports", "submissions", "commands", "packages",
    "benchmarks", "grade.py",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a child finds its own files."""

    runtime: Path
    code: Path
    scratch: Path


INSIDE = Layout(Path("/student/runtime"), Path("/student/code"), Path("/student/scratch"))


def environment(scratch: Path, *, gpu: bool = False) -> dict[str, str]:
    """Return the whole environment of a child; it inherits none of our variables."""
    variables = {"HOME": str(scratch), "TMPDIR": str(scratch)}
    if gpu and (folders := driver_folders()):
        variables["LD_LIBRARY_PATH"] = ":".join(map(str, folders))
    if sys.platform == "win32":  # without these no program starts and no socket opens
        variables |= {name: os.environ.get(name, "") for name in ("SYSTEMROOT", "PATH")}
    return ENVIRONMENT | variables


def rlimits(limits: Limits, processes_before: int) -> dict[str, int]:
    """Return the kernel's limits on every process of the child, by the name of the constant.

    Two more, on memory and CPU time, are set later, on top of what importing torch took.
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


def tree_memory_bytes(limits: Limits) -> int:
    """Return how many bytes of memory all processes of a child may hold."""
    return limits.memory_bytes + TREE_BYTES


def address_space(limits: Limits) -> int:
    """Return the limit on address space in bytes, on top of what the libraries use.

    A GPU driver needs a far higher limit; the watch over all processes still limits the memory
    that they really use.
    """
    return GPU_ADDRESSES if limits.gpu else limits.memory_bytes


def gpu_devices(limits: Limits) -> tuple[Path, ...]:
    """Return the device files of the GPUs, or none if the Limits allow no GPU."""
    return tuple(sorted(DEVICES.glob("nvidia*"))) if limits.gpu else ()


def visible_gpu(limits: Limits) -> str:
    """Return a child's CUDA_VISIBLE_DEVICES: the first GPU that this process may use, or none."""
    ours = os.environ.get("CUDA_VISIBLE_DEVICES", "0")
    return ours.split(",")[0] if limits.gpu else ""


@cache
def driver_folders() -> tuple[Path, ...]:
    """Return the folders, besides the system's, from which this machine loads a GPU's driver."""
    words = [sys.executable, "-c", LOADS_DRIVER]
    maps = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    files = {Path(line.split()[-1]) for line in maps.stdout.splitlines() if "libcuda" in line}
    return tuple(sorted({file.parent for file in files if not _inside(file, SYSTEM_LIBRARIES)}))


def visible(*, gpu: bool = False) -> tuple[Path, ...]:
    """Return the files and folders of this machine that a child may read, parents first."""
    paths = {path for path in (*_interpreter(), *SYSTEM_LIBRARIES, *SYSTEM_FILES) if path.exists()}
    paths |= set(driver_folders()) if gpu else set()
    return tuple(sorted(paths, key=lambda path: len(path.parts)))


def hidden(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return Softmark's own files inside the visible paths, as after `pip install`."""
    root = Path(__file__).resolve().parents[2]
    if root.name not in PACKAGE_FOLDERS:
        return (root,) if _inside(root, paths) else ()
    ours = [*(root / name for name in OUR_PACKAGES), *root.glob("softmark-*.dist-info")]
    return tuple(path for path in ours if path.exists() and _inside(path, paths))


def packages() -> tuple[str, ...]:
    """Return the folders of installed packages on sys.path, for the child's sys.path."""
    return tuple(folder for folder in sys.path if Path(folder).name in PACKAGE_FOLDERS)


def _interpreter() -> Iterator[Path]:
    for prefix in {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}:
        for name in ("bin", "lib", "lib64", "pyvenv.cfg"):
            yield Path(prefix) / name
    yield Path(sysconfig.get_path("stdlib"))
    yield from (Path(package) for package in packages())


def _inside(path: Path, folders: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(folder.resolve()) for folder in folders)
