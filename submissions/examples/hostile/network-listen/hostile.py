import socket

import aim


def listen():
    server = socket.create_server(("0.0.0.0", 0))
    server.settimeout(0.2)
    return server


server = aim.attempt(listen)
if server is not None:
    aim.attempt(server.accept)
