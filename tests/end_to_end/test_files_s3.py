"""Files in a bucket of S3, which goes away in the middle of an upload."""

import base64
import http.server
import json
import subprocess
import sys
import threading

import pytest
import requests

from support.hub import Demo
from support.numbers import fresh_number
from support.paths import binary
from support.ports import free_port
from support.process import Died
from support.process import loopback_environment
from support.wait import until

pytest.importorskip("moto", reason="moto needs Python 3.11")

DOT = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"
SETTINGS = {"ROUTE_HUB_FILES_SECRET_KEY": "s", "ROUTE_HUB_FILES_SHARED": "false"}


class Bucket:
    """A server that speaks like S3, with one bucket. It forgets everything when it ends."""

    def __init__(self):
        self.url = f"http://127.0.0.1:{free_port()}"
        self.process = None

    def start(self):
        port = self.url.rsplit(":", 1)[1]
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", port]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self.answers, "the bucket is there", 30)
        return self

    def answers(self):
        try:
            return requests.put(f"{self.url}/files", timeout=5).status_code == 200
        except requests.ConnectionError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def bucket():
    one = Bucket().start()
    yield one
    one.kill()


def test_the_doctor_writes_to_the_bucket_and_leaves_nothing(tmp_path, bucket):
    command = [binary("route-hub"), "doctor", "--json", "--dir", tmp_path, "--files", "s3://files/hub"]
    command += ["--files-endpoint", bucket.url, "--files-path-style", "--files-access-key", "key"]

    def look():
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=loopback_environment(SETTINGS))
        checks = json.loads(done.stdout)["checks"]
        return next(line["verdict"] for line in checks if line["check"] == "bucket")

    assert look() == "good"
    assert "<Key>" not in requests.get(f"{bucket.url}/files", timeout=10).text
    bucket.kill()
    assert look() == "bad"


@pytest.fixture
def demo(tmp_path, bucket):
    arguments = ["--files", "s3://files/hub", "--files-endpoint", bucket.url, "--files-path-style"]
    one = Demo(tmp_path, 0, arguments=[*arguments, "--files-access-key", "key"], env=SETTINGS)
    yield one
    one.program.kill()


def upload(demo, name):
    """Gives a file of 3 MB, whose content nobody else gives."""
    content = DOT + name.encode().ljust(3_000_000, b".")
    given = {"data": base64.b64encode(content).decode(), "type": "image/gif", "filename": name}
    return demo.rest.call("POST", "files", json=given), content


def test_a_file_in_a_bucket_is_served_whole_and_in_parts(demo):
    answer, content = upload(demo, "whole")
    url = answer.json()["url"]
    assert requests.get(url, timeout=10).content == content
    part = requests.get(url, headers={"Range": "bytes=0-5"}, timeout=10)
    assert (part.status_code, part.content) == (206, b"GIF89a")


def start(folder, url, place="s3://files/hub"):
    """Starts a demo on a bucket, and returns why it ended, or the demo."""
    arguments = ["--files", place, "--files-endpoint", url, "--files-path-style", "--files-access-key", "key"]
    try:
        return Demo(folder, 0, arguments=arguments, env=SETTINGS)
    except Died as ended:
        return str(ended).splitlines()[-1]


def test_a_bucket_that_is_not_there_fails_the_start(tmp_path, bucket):
    said = start(tmp_path, bucket.url, "s3://nowhere/hub")
    assert said == "route-hub: --files s3://nowhere/hub: there is no such bucket"


class Refusing(http.server.BaseHTTPRequestHandler):
    """Refuses each key."""

    def log_message(self, *_):
        """Says nothing."""

    def do_PUT(self):
        """Answers as S3 does to a key that it does not know."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b"<Error><Code>InvalidAccessKeyId</Code></Error>"
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def test_a_bucket_that_refuses_the_key_fails_the_start(tmp_path):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        said = start(tmp_path, f"http://127.0.0.1:{server.server_port}")
        assert said.endswith("the bucket refuses what the access key asks (InvalidAccessKeyId)")
    finally:
        server.shutdown()
        server.server_close()


def test_a_hub_starts_without_a_bucket_that_says_nothing(tmp_path):
    demo = start(tmp_path, f"http://127.0.0.1:{free_port()}")
    try:
        assert any("does not answer" in line for line in demo.program.err_lines), demo.program.words()
        demo.rest.send(fresh_number(), "goes on", route_id=demo.test_phone_id)
    finally:
        demo.program.kill()


def test_a_bucket_that_dies_in_an_upload_leaves_no_half_file_and_stops_nothing_else(demo, bucket):
    answers = []

    def give():
        for number in range(8):
            answers.append(upload(demo, f"file {number}")[0])

    giver = threading.Thread(target=give)
    giver.start()
    until(lambda: answers, "files are given")
    bucket.kill()
    demo.rest.send(fresh_number(), "goes on", route_id=demo.test_phone_id)
    giver.join()
    assert {answer.status_code for answer in answers} <= {200, 503} and answers[-1].status_code == 503
    kept = {answer.json()["filename"] for answer in answers if answer.status_code == 200}
    assert {file["filename"] for file in demo.rest.get("files")["data"]} == kept
    bucket.start()
    for number in range(8):
        answer, content = upload(demo, f"file {number}")
        assert requests.get(answer.json()["url"], timeout=10).content == content
