import os
import signal

import aim

for number in (signal.SIGSTOP, signal.SIGKILL):
    aim.attempt(os.kill, -1, number)
