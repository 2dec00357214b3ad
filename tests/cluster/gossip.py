"""A client of NATS that hears what hubs hint to each other, and says what it likes."""

import json
import socket

# It does not hear what it says itself.
SETTINGS = {"user": "postrider", "verbose": False, "pedantic": False, "echo": False}


class Gossip:
    """One connection that listens to all subjects of hubs."""

    def __init__(self, server):
        self._socket = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        self._lines = self._socket.makefile("rb")
        settings = json.dumps({**SETTINGS, "pass": server.password})
        self._socket.sendall(f"CONNECT {settings}\r\nSUB postrider.> 1\r\nPING\r\n".encode())
        while self._lines.readline() != b"PONG\r\n":
            pass

    def hear(self):
        """Returns the next notice as (subject, text)."""
        while True:
            words = self._lines.readline().split()
            if words[0] == b"PING":
                self._socket.sendall(b"PONG\r\n")
            elif words[0] == b"MSG":
                text = self._lines.read(int(words[-1]))
                self._lines.readline()
                return words[1], text

    def say(self, subject, *texts):
        """Publishes notices."""
        self._socket.sendall(b"".join(b"PUB %s %d\r\n%s\r\n" % (subject, len(text), text) for text in texts))

    def deafen(self):
        """Hears no more."""
        self._socket.sendall(b"UNSUB 1\r\n")

    def close(self):
        """Ends the connection."""
        self._socket.close()
