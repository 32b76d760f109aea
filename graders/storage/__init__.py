"""Keep the results folder: the SQLite store, Results as JSON, people's decisions, and locks.

Start with `store.py`: the store from which every other file in the folder is written.
`result_json.py` reads and writes a Result as JSON. `decisions.py` (about answers), `adjustments.py`
(of points) and `requests.py` (with replies and comments) record what people did.
"""
