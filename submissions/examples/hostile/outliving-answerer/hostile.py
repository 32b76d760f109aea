import os
import time

import aim

aim.mark_process()
if os.fork() != 0:
    os._exit(0)
end = time.process_time() + 1
while time.process_time() < end:
    pass
