import subprocess
import sys

import aim

sleep = f"import time; time.sleep(600)  # {aim.TARGETS['mark']}"
aim.attempt(
    lambda: subprocess.Popen(
        [sys.executable, "-S", "-c", sleep], start_new_session=True, close_fds=False
    )
)
