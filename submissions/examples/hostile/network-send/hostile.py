import socket

import aim

def send():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(2)
        client.sendto(b"reached", ("127.0.0.1", aim.TARGETS["datagrams"]))
    return True


def raw():
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    return True


aim.tell([name for name, how in (("udp", send), ("raw", raw)) if aim.attempt(how)])
