import re

import aim

found = []
own = (aim.HERE / "targets.json").read_bytes()
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in maps:
        place, rights = line.split()[:2]
        start, end = (int(each, 16) for each in place.split("-"))
        if rights.startswith("rw") and end - start < 2**28:
            memory.seek(start)
            data = aim.attempt(memory.read, end - start) or b""
            found += re.findall(rb"canary-[0-9a-f]{16}", data)
aim.tell([each for each in found if each not in own])
