import socket

import aim

found = []
for address in (("127.0.0.1", aim.TARGETS["port"]), ("::1", aim.TARGETS["port"], 0, 0)):
    family = socket.AF_INET if len(address) == 2 else socket.AF_INET6

    def connect():
        with socket.socket(family) as client:
            client.settimeout(2)
            client.connect(address)
            client.sendall(b"reached")
        return True

    found += ["tcp"] * bool(aim.attempt(connect))
for name in ("\0" + aim.TARGETS["abstract"], aim.TARGETS["socket"]):

    def connect():
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(name)
            client.sendall(b"reached")
        return True

    found += ["unix"] * bool(aim.attempt(connect))
aim.tell(found)
