"""Determine which account of this machine a connection comes from.

Linux lists the owner of every socket in /proc/net/tcp, that of the connecting end included:

    sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid ...
    0:  0100007F:A3C1 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000 ...
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))  # a client may use an IPv6 socket
ESTABLISHED = "01"
ROOT = 0  # may read everything anyway; port forwarders of containers run as root


def is_own(client_port: int, port: int) -> bool:
    """Return False if the connection to our port is known to belong to another account.

    If the connection was closed in the meantime, it has no owner, but nobody waits for a reply.
    """
    owner = next(_owners(client_port, port), None)
    return owner is None or owner in (ROOT, os.getuid())


def _owners(client_port: int, port: int) -> Iterator[int]:
    """Yield the owner of the connecting end; -1 if it is closed."""
    for table in TABLES:
        with suppress(OSError):  # another system: the owner is unknown
            for row in table.read_text(encoding="ascii").splitlines()[1:]:
                cells = row.split()
                ends = [int(cell.rpartition(":")[2], 16) for cell in cells[1:3]]
                if ends == [client_port, port]:
                    yield int(cells[7]) if cells[3] == ESTABLISHED else -1
