import os
import time

import aim

held = []
while True:
    name = f"{os.getpid()}-{len(held)}"
    descriptor = aim.attempt(os.open, name, os.O_CREAT | os.O_RDWR)
    if descriptor is None:
        break
    os.unlink(name)
    held.append(descriptor)
    aim.attempt(os.posix_fallocate, descriptor, 0, 2**27)
time.sleep(20)
