import os
import tempfile

import aim

own = {os.path.realpath(each) for each in (aim.HERE, os.getcwd(), tempfile.gettempdir())}
found = []
for place in (aim.HERE.parent.parent, aim.HERE.parent, "/tmp", "/var/tmp", "/student"):
    for name in aim.attempt(os.listdir, place) or []:
        path = os.path.realpath(os.path.join(place, name))
        mine = any(each == path or each.startswith(path + os.sep) for each in own)
        if name.startswith("softmark-") and not mine and aim.attempt(os.listdir, path) is not None:
            found.append(path)
aim.tell(found)
