"""Every block of the documents runs as printed, or its fence says why it does not."""

import base64
import configparser
import hashlib
import hmac
import json
import re
import socket
import subprocess
import sys
import time

import pytest
import requests
import yaml

from docs.markdown import blocks, command_words, commands
from docs.parse import problem
from docs.reader import Reader
from support.paths import ROOT, binary
from support.ports import free_port
from support.process import Program, loopback_environment
from support.wait import until

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
REMARK = re.compile(r"(not run: \w.{8,})?")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_blocks_run_as_printed(document, tmp_path):
    reader = Reader(tmp_path)
    try:
        for block in blocks(document):
            where = f"{document.name}:{block.line}"
            assert block.language in READ, f"{where}: a fence names its language, one of {', '.join(READ)}"
            assert REMARK.fullmatch(block.remark), f"{where}: a fence says `not run: why` or nothing"
            try:
                READ[block.language](reader, block)
            except Exception as error:
                raise AssertionError(f"{where}: {error}") from error
    finally:
        reader.close()


def shell(reader, block):
    """Commands that cannot run here are still commands that the program has."""
    for command in commands(block.text):
        if block.runs:
            reader.type(command)
        elif (words := command_words(command)) and (why := problem(words)):
            raise AssertionError(why)


def python(reader, block):
    """A program goes on where the block before it ended; one that serves is asked with and without a signature."""
    reader.python += reader.filled_in(block.text)
    if "serve_forever" in block.text:
        asked(reader.python)
        return
    env = loopback_environment({"PYTHONPATH": ""})
    done = subprocess.run([sys.executable, "-c", reader.python], capture_output=True, text=True, timeout=60, env=env)
    assert done.returncode == 0, done.stderr


def asked(text):
    """Starts a receiver of webhooks, and has it see a request of the hub and one of somebody else."""
    port = free_port()
    program = Program([sys.executable, "-uc", text.replace("8099", str(port))])
    body, at = b"event=send_status&id=SM1&status=sent", str(int(time.time()))
    digest = hmac.new(b"topsecret", f"1.{at}.".encode() + body, hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(digest).decode()
    headers = {"webhook-id": "1", "webhook-timestamp": at, "content-type": "application/x-www-form-urlencoded"}
    try:
        until(lambda: is_open(port), "the receiver listens", 20)
        for value, status in ((signature, 200), ("v1,AAAA", 403)):
            answer = requests.post(f"http://127.0.0.1:{port}/", body, headers=headers | {"webhook-signature": value}, timeout=20)
            assert answer.status_code == status, program.words()
        assert program.line() == "send_status SM1 sent"
    finally:
        program.kill()


def is_open(port):
    """Whether somebody listens on a port of loopback."""
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def settings(reader, block):
    """The program reads the settings, and says that they hold."""
    file = reader.home / "etc/route-hub.toml"
    file.write_text(reader.filled_in(block.text))
    reader.run(f"route-hub settings --config {file}")


def unit(_, block):
    """Units are read, and what they start is a command that the program has."""
    for text in re.split(r"^# \S+\.(?:service|timer)$", block.text, flags=re.M):
        parsed = configparser.ConfigParser(strict=False, interpolation=None)
        parsed.optionxform = str
        parsed.read_string(text)
        for section in parsed.sections():
            for key, value in parsed.items(section):
                if key == "ExecStart" and (words := command_words(re.sub(r"^\S*/", "", value))):
                    assert not problem(words), problem(words)


def compose(_, block):
    """A description for a container engine is read, and what it starts of ours is a command that the program has."""
    described = yaml.safe_load(block.text)
    for service in described.get("services", described).values():
        if "route-hub" in str(service.get("image")):
            assert not problem(service["command"]), problem(service["command"])


def nothing(_, block):
    """A block that is no command: somebody else's settings, or an answer."""
    assert block.text.strip()


READ = {
    "sh": shell,
    "python": python,
    "toml": settings,
    "ini": unit,
    "yaml": compose,
    "json": lambda _, block: json.loads(block.text),
    "nginx": nothing,
    "caddy": nothing,
    "dockerfile": nothing,
    "text": nothing,
}
