"""A name server on loopback: `good*` is 127.0.0.1, `silent*` is never answered, other names do not exist."""

import socket
import threading


class Names:
    """Answers over UDP on a free port, and remembers the questions."""

    def __init__(self):
        self._lock = threading.Lock()
        self._asked = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def asked(self, beginning=""):
        """Returns the different names that it was asked for, with this beginning."""
        with self._lock:
            return {name for name in self._asked if name.startswith(beginning)}

    def close(self):
        """Stops answering."""
        self._socket.close()

    def _serve(self):
        while True:
            try:
                packet, sender = self._socket.recvfrom(1500)
            except OSError:
                return
            name, kind = question(packet)
            with self._lock:
                self._asked.append(name)
            if not name.startswith("silent"):
                self._socket.sendto(answer(packet, name.startswith("good"), kind == 1), sender)


def question(packet):
    """Returns the name that a query asks for, in lower case, and the type of record."""
    at, labels = 12, []
    while packet[at]:
        labels.append(packet[at + 1 : at + 1 + packet[at]].decode())
        at += 1 + packet[at]
    return ".".join(labels).lower(), packet[at + 2]


def answer(packet, exists, with_address):
    """Returns the answer to a query: no such name, or the name with its address or without."""
    end = packet.index(0, 12) + 5
    answers = 1 if exists and with_address else 0
    head = packet[:2] + bytes([0x81, 0x80 if exists else 0x83, 0, 1, 0, answers, 0, 0, 0, 0])
    record = bytes([0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1])
    return head + packet[12:end] + record * answers
