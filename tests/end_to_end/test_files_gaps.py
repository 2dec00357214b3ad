"""A hub that is killed between a file's bytes and its row: nothing shows half, and what is left over goes."""

import base64
import http.server
import threading

import pytest
import requests

from end_to_end.test_files_s3 import DOT, Bucket
from support import faketime
from support.hub import Demo
from support.wait import until

pytest.importorskip("moto", reason="moto needs Python 3.11")
pytestmark = pytest.mark.skipif(not faketime.is_there(), reason="libfaketime is missing")

DAY_S = 24 * 3_600
SETTINGS = {"ROUTE_HUB_FILES_SECRET_KEY": "s", "ROUTE_HUB_FILES_SHARED": "false"}


class Gap(http.server.ThreadingHTTPServer):
    """Passes requests on to a bucket, and keeps the answers to one method of request to itself when told."""

    daemon_threads = True

    def __init__(self, bucket):
        super().__init__(("127.0.0.1", 0), Passing)
        self.bucket = bucket
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.held, self.named, self.before, self.reached = None, "", False, threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def hold(self, method, before, named=""):
        """Holds requests of this method back, or the answers to them; only where their path ends with something that has this in it."""
        self.held, self.named, self.before = method, named, before
        self.reached.clear()

    def pass_all(self):
        """Holds nothing back from now on."""
        self.held = None


class Passing(http.server.BaseHTTPRequestHandler):
    """One connection of a hub to the bucket."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Says nothing."""

    def handle_one_request(self):
        self.raw_requestline = self.rfile.readline()
        self.close_connection = True
        if self.raw_requestline and self.parse_request():
            self.close_connection = False
            self.pass_on()

    def pass_on(self):
        gap = self.server
        is_held = gap.held == self.command and gap.named in self.path.rsplit("/", 1)[-1]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if is_held and gap.before:
            gap.reached.set()
            self.close_connection = True
            return self.rfile.read()
        headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
        answer = requests.request(self.command, gap.bucket.url + self.path, data=body, headers=headers, timeout=10)
        if is_held:
            gap.reached.set()
            self.close_connection = True
            return self.rfile.read()
        self.send_response(answer.status_code)
        for name, value in answer.headers.items():
            if name.lower() not in ("connection", "transfer-encoding", "content-length", "server", "date"):
                self.send_header(name, value)
        self.send_header("Content-Length", answer.headers.get("Content-Length", len(answer.content)))
        self.end_headers()
        return self.wfile.write(answer.content)


@pytest.fixture
def bucket():
    one = Bucket().start()
    yield one
    one.kill()


@pytest.fixture
def gap(bucket):
    one = Gap(bucket)
    yield one
    one.shutdown()
    one.server_close()


def hub(folder, gap, ahead_s=0):
    """Starts a hub whose files are in the bucket, with a clock that is ahead."""
    arguments = ["--files", "s3://files/hub", "--files-endpoint", gap.url, "--files-path-style", "--files-access-key", "key"]
    clock = faketime.environment(ahead_s) if ahead_s else {}
    return Demo(folder, 0, arguments=arguments, env={**SETTINGS, **clock})


def upload(demo, name="dot"):
    """Gives a file."""
    data = base64.b64encode(DOT + name.encode()).decode()
    return demo.rest.post("files", {"data": data, "type": "image/gif", "filename": name})


def blobs(bucket):
    """Returns how many objects are in the bucket."""
    return requests.get(f"{bucket.url}/files?list-type=2", timeout=10).text.count("<Key>")


def kill_in(gap, demo, method, before, act):
    """Kills a hub while it waits for the bucket in what `act` asks for."""
    gap.hold(method, before)
    asking = threading.Thread(target=lambda: pytest.raises((requests.RequestException, AssertionError), act))
    asking.start()
    assert gap.reached.wait(30)
    demo.program.kill()
    asking.join()
    gap.pass_all()


def test_bytes_whose_row_was_never_written_are_no_file_and_go_after_a_day(tmp_path, gap, bucket):
    demo = hub(tmp_path, gap)
    before = blobs(bucket)
    kill_in(gap, demo, "PUT", False, lambda: upload(demo))
    assert blobs(bucket) > before, "the bytes are there"
    demo = hub(tmp_path, gap)
    assert demo.rest.get("files")["data"] == []
    file = upload(demo)
    assert requests.get(file["url"], timeout=10).content == DOT + b"dot"
    kept = blobs(bucket)
    demo.program.kill()
    demo = hub(tmp_path, gap, ahead_s=DAY_S + 3_600)
    until(lambda: blobs(bucket) < kept, "what has no row is gone", 30)
    assert requests.get(demo.rest.get(f"files/{file['id']}")["url"], timeout=10).content == DOT + b"dot"
    demo.program.kill()


def test_a_file_that_was_being_deleted_is_gone_and_its_bytes_go_after_a_day(tmp_path, gap, bucket):
    demo = hub(tmp_path, gap)
    before = blobs(bucket)
    file = upload(demo)
    kept = blobs(bucket)
    kill_in(gap, demo, "POST", True, lambda: demo.rest.call("DELETE", f"files/{file['id']}"))
    assert blobs(bucket) == kept, "the bytes are there"
    demo = hub(tmp_path, gap)
    assert demo.rest.call("GET", f"files/{file['id']}").status_code == 404
    demo.program.kill()
    demo = hub(tmp_path, gap, ahead_s=DAY_S + 3_600)
    until(lambda: blobs(bucket) == before, "what has no row is gone", 30)
    demo.program.kill()
