import os
import socket

import aim


def meet(name):
    """Whether another submission listens here; otherwise listen for two seconds."""
    with socket.socket(socket.AF_UNIX) as server:
        if aim.attempt(server.connect, name) is None and aim.attempt(server.getpeername):
            return True
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        server.settimeout(2)
        server.accept()
    return True


aim.tell(aim.attempt(meet, f"\0{aim.TARGETS['mark']}-meet") and "another submission")
