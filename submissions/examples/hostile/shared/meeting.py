"""Ways in which two submissions that are graded side by side could find each other."""

import fcntl
import os
import socket
import time

import aim

PLACES = ("/tmp", "/dev/shm", "/var/tmp", os.getcwd(), os.path.expanduser("~"), aim.HERE.parent)


def at_a_socket():
    """Meet another submission that listens at an abstract name, or let it come."""
    aim.tell(aim.attempt(_met, f"\0{aim.TARGETS['mark']}-meet") and "another submission")


def _met(name):
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


def at_a_lock():
    """Meet another submission that holds a lock on a file that all may read."""
    with open(os.__file__, "rb") as file:
        end, met = time.monotonic() + 2, False
        while not met and time.monotonic() < end:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                met = True
            time.sleep(0.01)
    aim.tell(met and "another submission")


def by_messages(own):
    """Leave a message wherever one may write, and look for one that is not one's own."""
    mine = f"{aim.TARGETS['mark']}-{own}"
    met = []
    for place in PLACES:
        names = aim.attempt(os.listdir, place) or []
        met += [name for name in names if name.startswith(aim.TARGETS["mark"]) and name != mine]
        aim.attempt(lambda path: open(path, "w").close(), os.path.join(place, mine))
        aim.attempt(lambda path: os.chmod(path, 0o666), os.path.join(place, mine))
    aim.tell(met)
