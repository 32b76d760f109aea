import os
import signal

import aim

for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
    aim.attempt(os.kill, os.getppid(), number)
