"""A webhook receiver on loopback: remembers requests, and answers as told."""

import base64
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.wait import until


class Delivery:
    """One webhook request as it arrived."""

    def __init__(self, path, headers, body):
        self.at = time.monotonic()
        self.path = path
        self.headers = headers
        self.body = body
        pairs = urllib.parse.parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)
        self.pairs = pairs
        self.form = dict(pairs)

    def basic(self):
        """Returns the Basic credentials as (user, password), or None."""
        value = self.headers.get("authorization", "")
        if not value.lower().startswith("basic "):
            return None
        user, _, password = base64.b64decode(value[6:]).decode().partition(":")
        return user, password

    def __repr__(self):
        return f"<{self.path} {self.form.get('event')} {self.form.get('status')} {self.form.get('id')}>"


class Answer:
    """The answer to one request: a status, headers, a body, or a delay."""

    def __init__(self, status=200, headers=(), body=b"", hang_s=0.0):
        self.status = status
        self.headers = dict(headers)
        self.body = body
        self.hang_s = hang_s


class Receiver:
    """An HTTP server on a free port of 127.0.0.1. `answer(delivery)` may be replaced by a test."""

    def __init__(self):
        self._lock = threading.Lock()
        self._all = []
        self._closing = threading.Event()
        self.answer = lambda delivery: Answer()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                length = int(self.headers.get("content-length") or 0)
                delivery = Delivery(self.path, {k.lower(): v for k, v in self.headers.items()}, self.rfile.read(length))
                with receiver._lock:
                    receiver._all.append(delivery)
                answer = receiver.answer(delivery)
                if answer.hang_s:
                    receiver._closing.wait(answer.hang_s)
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST

            def log_message(self, *_):
                pass

            def handle(self):
                try:
                    super().handle()
                except (ConnectionError, TimeoutError):
                    pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def url(self, path="/hook"):
        """Returns an address below this receiver."""
        return f"http://127.0.0.1:{self.port}{path}"

    def all(self, **form):
        """Returns the deliveries whose form has these values, in the order of arrival."""
        with self._lock:
            deliveries = list(self._all)
        return [d for d in deliveries if all(d.form.get(k) == v for k, v in form.items())]

    def on(self, path):
        """Returns the deliveries to one path, in the order of arrival."""
        return [d for d in self.all() if d.path == path]

    def wait(self, count=1, patience_s=20.0, **form):
        """Waits for so many deliveries with these values, and returns them."""

        def enough():
            found = self.all(**form)
            return found if len(found) >= count else None

        return until(enough, f"{count} webhooks with {form}", patience_s)

    def statuses(self, message_id):
        """Returns the statuses reported for a message, in the order of arrival, each once."""
        seen = []
        for delivery in self.all(event="send_status", id=message_id):
            if delivery.form["status"] not in seen:
                seen.append(delivery.form["status"])
        return seen

    def close(self):
        """Stops listening and ends delayed answers."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
