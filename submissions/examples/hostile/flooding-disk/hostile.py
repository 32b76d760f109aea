import itertools

import aim

for number in itertools.count():
    kept = []
    for place in (".", "/tmp", "/dev/shm", "/var/tmp", aim.HERE):
        size = aim.attempt(lambda path: open(path, "wb").write(bytes(2**24)), f"{place}/{number}")
        kept.append(size)
    if not any(kept):
        raise OSError("full")
