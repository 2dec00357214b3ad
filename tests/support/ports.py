"""Ports of loopback for servers that are told where to listen."""

import random
import socket


def free_port():
    """Returns a port that was free a moment ago, for a hub that must come back on the same one.

    It lies below those that systems give to connections by themselves, so that none of the other tests' takes it.
    """
    while True:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", random.randint(10_000, 32_000)))
            except OSError:
                continue
            return probe.getsockname()[1]
