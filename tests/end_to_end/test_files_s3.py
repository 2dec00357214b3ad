"""Files in a bucket of S3, which goes away in the middle of an upload."""

import base64
import subprocess
import sys
import threading

import pytest
import requests

from support.hub import Demo
from support.numbers import fresh_number
from support.ports import free_port
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
