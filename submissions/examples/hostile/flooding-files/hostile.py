import itertools
import os

import aim

for number in itertools.count():
    aim.attempt(os.mkdir, "d")
    aim.attempt(os.chdir, "d") if number < 2000 else None
    for place in (".", "/tmp", "/dev/shm"):
        aim.attempt(lambda path: open(path, "w").close(), f"{place}/{number}")
