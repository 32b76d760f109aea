import itertools
import mmap
from multiprocessing import shared_memory

import aim

held = []
for number in itertools.count():
    part = aim.attempt(lambda: shared_memory.SharedMemory(create=True, size=2**26))
    held.append(part)
    if part is not None:
        part.buf[:] = bytes(2**26)
    block = mmap.mmap(-1, 2**26)
    block.write(bytes(2**26))
    held.append(block)
