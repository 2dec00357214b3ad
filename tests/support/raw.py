"""Requests byte by byte, for what no HTTP library would send."""

import base64
import http.client
import json
import select
import socket


class Answer:
    """One HTTP answer: status, headers in lower case, body."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def json(self):
        """Returns the body as JSON."""
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.body[:200]!r}>"


class Wire:
    """A socket to the hub."""

    def __init__(self, address, patience_s=20.0, source="127.0.0.1"):
        self.socket = socket.create_connection(address, timeout=patience_s, source_address=(source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data):
        """Writes bytes; if the hub has closed already, that is no error here."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def finish(self):
        """Ends writing; if the hub has closed already, that is no error here."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def answer(self, method="POST"):
        """Reads one answer, or returns None when the hub closed without one."""
        response = http.client.HTTPResponse(self.socket, method=method)
        try:
            response.begin()
            body = response.read()
        except (http.client.BadStatusLine, ConnectionResetError, http.client.IncompleteRead):
            return None
        return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, body)

    def closed(self):
        """Waits for the hub to close, and returns whether it did so in time."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False

    def has_answer(self):
        """Returns whether something can be read, including the end, without waiting for it."""
        return bool(select.select([self.socket], [], [], 0)[0])

    def close(self):
        """Closes the socket."""
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def basic(key):
    """Returns an Authorization header line."""
    return "Authorization: Basic " + base64.b64encode(f"{key}:".encode()).decode()


def request(method, path, key, headers=(), body=b"", length=True):
    """Composes a request; `headers` are whole lines."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers]
    if key:
        lines.append(basic(key))
    if length:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def exchange(address, data, method="POST", patience_s=20.0):
    """Sends bytes on a fresh connection and returns the answer, or None."""
    with Wire(address, patience_s) as wire:
        wire.send(data)
        return wire.answer(method)
