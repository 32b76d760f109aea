import os

import aim

aim.mark_process()
for _ in range(3):
    aim.attempt(os.fork)
held = []
while True:
    held.append(bytearray(64 * 2**20))
