import gc

import aim

found = []
for each in gc.get_objects():
    if isinstance(each, dict | list | tuple) and len(each) < 500:
        texts = [part for part in (each.values() if isinstance(each, dict) else each)]
        found += [
            secret
            for text in texts
            if type(text) in (str, bytes) and len(text) < 10_000
            for secret in aim.SECRET.findall(text if isinstance(text, str) else repr(text))
        ]
aim.tell(found)
