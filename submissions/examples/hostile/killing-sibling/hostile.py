import os

import aim


def may_signal(pid):
    os.kill(pid, 0)
    return True


aim.tell([pid for pid in range(2, 40_000) if pid != os.getpid() and aim.attempt(may_signal, pid)])
