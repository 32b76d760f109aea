import os

import aim

places = ("/tmp", "/dev/shm", "/var/tmp", os.getcwd(), os.path.expanduser("~"), aim.HERE.parent)
mine = f"{aim.TARGETS['mark']}-one"
met = []
for place in places:
    names = aim.attempt(os.listdir, place) or []
    met += [name for name in names if name.startswith(aim.TARGETS["mark"]) and name != mine]
    aim.attempt(lambda path: open(path, "w").close(), os.path.join(place, mine))
    aim.attempt(lambda path: os.chmod(path, 0o666), os.path.join(place, mine))
aim.tell(met)
