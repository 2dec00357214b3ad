"""Ports that accept connections and never answer."""

import resource
import selectors
import socket
import threading

SPARE_FILES = 512


class Hanging:
    """Listens on so many free ports of 127.0.0.1, and counts the open connections."""

    def __init__(self, count):
        make_room_for_files(2 * count)
        self._selector = selectors.DefaultSelector()
        self._closing = threading.Event()
        self._connections = set()
        self.ports = []
        self.most = 0
        self.taken = 0
        for _ in range(count):
            listener = socket.create_server(("127.0.0.1", 0), backlog=64)
            listener.setblocking(False)
            self.ports.append(listener.getsockname()[1])
            self._selector.register(listener, selectors.EVENT_READ, self._accept)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    @property
    def open(self):
        """How many connections are open."""
        return len(self._connections)

    def close(self):
        """Closes every port and connection."""
        self._closing.set()
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()

    def _watch(self):
        while not self._closing.is_set():
            for key, _ in self._selector.select(0.05):
                key.data(key.fileobj)

    def _accept(self, listener):
        connection, _ = listener.accept()
        connection.setblocking(False)
        self._connections.add(connection)
        self.taken += 1
        self.most = max(self.most, len(self._connections))
        self._selector.register(connection, selectors.EVENT_READ, self._read)

    def _read(self, connection):
        try:
            alive = connection.recv(65536)
        except OSError:
            alive = b""
        if not alive:
            self._selector.unregister(connection)
            self._connections.discard(connection)
            connection.close()


def make_room_for_files(count):
    """Raises this process's limit of open files if it is too low."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + SPARE_FILES
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
