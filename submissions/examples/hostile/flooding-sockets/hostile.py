import os
import socket
import time

import aim


def fill(pair):
    """Send into both ends until they take no more."""
    for end in pair:
        aim.attempt(end.setsockopt, socket.SOL_SOCKET, socket.SO_SNDBUF, 2**26)
        end.setblocking(False)
        while aim.attempt(end.send, bytes(2**16)):
            pass


aim.mark_process()
for _ in range(5):
    aim.attempt(os.fork)
held = []
while pair := aim.attempt(socket.socketpair):
    fill(pair)
    held.append(pair)
time.sleep(20)
