"""Our own phone on the link, honest or not: pairing, the signed hello, frames."""

import base64
import hashlib
import json
import inspect
import secrets
import socket
import time
from urllib.parse import urlsplit

import requests
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

# Newer versions of the library must be told that the connection is not a context manager.
_PLAIN = {"legacy": True} if "legacy" in inspect.signature(connect).parameters else {}
SUB_PROTOCOL = "postrider.v1+json"
PATIENCE_S = 20.0


def hello_bytes(host, nonce, phone, install, conn):
    """Returns the bytes that a hello signs."""
    return "|".join(["postrider-hello-v1", host, nonce, phone, install, str(conn)]).encode()


class Ed25519Key:
    """A software key."""

    algorithm = "ed25519"

    def __init__(self):
        self._key = ed25519.Ed25519PrivateKey.generate()

    def public(self):
        """Returns the raw public half."""
        return self._key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)

    def sign(self, data):
        """Signs bytes."""
        return self._key.sign(data)


class P256Key:
    """A key like one of a phone's keystore."""

    algorithm = "p256"

    def __init__(self):
        self._key = ec.generate_private_key(ec.SECP256R1())

    def public(self):
        """Returns the uncompressed point."""
        return self._key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )

    def sign(self, data):
        """Signs bytes, DER-encoded."""
        return self._key.sign(data, ec.ECDSA(hashes.SHA256()))


class LinkPhone:
    """What a phone keeps: key, install, counters."""

    def __init__(self, hub_root, key=None, number="+15005550150", source=None):
        self.hub_root = hub_root
        self.source = source
        self.key = key or Ed25519Key()
        self.install = secrets.token_hex(16)
        self.number = number
        self.pair_number = secrets.token_bytes(32)
        self.device_id = None
        self.host = None
        self.link_url = None
        self.phones = []
        self.conn = 0
        self.gen = 0
        self.down = 0
        self.up = 0
        self.acked = 0
        self.boot = secrets.token_hex(8)

    def commit_request(self, code):
        """Returns the body of the first pairing request, which commits the phone to its key and number."""
        return {"code": code, "hub_url": self.hub_root, "commitment": base64.b64encode(self.commitment()).decode()}

    def commitment(self):
        """Returns the 32 bytes of the commitment to key, installation and number."""
        head = f"postrider-pair-commitment-v2|{self.key.algorithm}|{self.install}|".encode()
        return hashlib.sha256(head + self.pair_number + self.key.public()).digest()

    def digits(self, code, hub_number):
        """Returns the six digits that this phone shows."""
        typed = "".join(code.replace("-", "").split()).upper()
        head = f"postrider-pair-digits-v2|{typed}|".encode()
        both = self.commitment() + self.pair_number + base64.b64decode(hub_number)
        start = hashlib.sha256(head + both + self.key.public()).digest()[:8]
        return f"{int.from_bytes(start, 'big') % 1_000_000:06d}"

    def pair_request(self, code):
        """Returns the body of the second pairing request, which reveals key and number."""
        sims = [{"slot": 0, "number": self.number, "country": "US"}]
        device = {"name": "Test phone", "manufacturer": "Test", "model": "T1", "app_version": "1.0", "sims": sims}
        return {
            "code": code,
            "hub_url": self.hub_root,
            "number": base64.b64encode(self.pair_number).decode(),
            "public_key": base64.b64encode(self.key.public()).decode(),
            "key_algorithm": self.key.algorithm,
            "install": self.install,
            "device": device,
        }

    def post_pair(self, body, headers=None):
        """Sends one body to /pair and returns the HTTP answer."""
        with requests.Session() as session:
            session.trust_env = False
            return session.post(f"{self.hub_root}/pair", json=body, headers=headers, timeout=PATIENCE_S)

    def pair_once(self, code, headers=None):
        """Sends both pairing requests once and returns the last HTTP answer; checks the digits."""
        committed = self.post_pair(self.commit_request(code), headers)
        if committed.status_code != 200:
            return committed
        opened = self.post_pair(self.pair_request(code), headers)
        if opened.status_code == 200:
            assert opened.json()["digits"] == self.digits(code, committed.json()["number"])
        return opened

    def pair(self, code, headers=None):
        """Repeats the pairing requests until the operator has confirmed; waits while the hub handles other codes."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            response = self.pair_once(code, headers)
            assert response.status_code in (200, 429), response.text
            answer = response.json()
            if answer.get("status") == "confirmed":
                break
            assert time.monotonic() < deadline, "nobody confirmed"
            time.sleep(0.05)
        self.device_id = answer["device_id"]
        self.host = answer["host"]
        self.link_url = answer["link_url"]
        self.phones = answer["phones"]
        return self

    @property
    def phone_id(self):
        """The basic route of this phone's only SIM."""
        return self.phones[0]["id"]

    def open(self):
        """Opens the socket and reads the challenge."""
        return LinkSocket(self)

    def connect(self, **hello):
        """Opens a connection and completes hello and welcome."""
        link = self.open()
        link.hello(**hello)
        link.welcome()
        return link


class LinkSocket:
    """One connection of a phone."""

    def __init__(self, phone):
        self.phone = phone
        self.ws = connect(
            phone.link_url,
            sock=self._dial(),
            subprotocols=[SUB_PROTOCOL],
            compression=None,
            proxy=None,
            open_timeout=PATIENCE_S,
            close_timeout=2,
            max_size=1 << 20,
            **_PLAIN,
        )
        self.challenge = self.receive()
        assert self.challenge["t"] == "challenge"

    def _dial(self):
        """Connects from the phone's own address, if it has one."""
        url = urlsplit(self.phone.link_url)
        source = self.phone.source and (self.phone.source, 0)
        return source and socket.create_connection((url.hostname, url.port), PATIENCE_S, source)

    def receive(self, patience_s=PATIENCE_S):
        """Reads one frame."""
        return json.loads(self.ws.recv(timeout=patience_s))

    def send(self, frame):
        """Writes one frame."""
        self.ws.send(frame if isinstance(frame, (str, bytes)) else json.dumps(frame))

    def hello(self, **changes):
        """Sends a valid hello, except for what `changes` replaces."""
        phone = self.phone
        phone.conn += 1
        frame = {
            "t": "hello",
            "v": [1, 1],
            "features": [],
            "phone": phone.device_id,
            "install": phone.install,
            "conn": phone.conn,
            "gen": phone.gen or self.challenge["gen"],
            "down": phone.down,
            "up_lo": phone.acked + 1,
            "up_hi": phone.up,
            "limit": phone.down + 500,
            "boot": phone.boot,
            "wall": int(time.time() * 1000),
            "mono": int(time.monotonic() * 1000),
            "sims": [{"slot": 0, "number": phone.number, "fingerprint": "f" * 16}],
            "held": [],
        }
        frame.update({k: v for k, v in changes.items() if k not in ("sig", "host", "nonce")})
        signed = hello_bytes(
            changes.get("host", phone.host),
            changes.get("nonce", self.challenge["nonce"]),
            frame["phone"],
            frame["install"],
            frame["conn"],
        )
        frame["sig"] = changes.get("sig") or base64.b64encode(phone.key.sign(signed)).decode()
        self.send(frame)
        return frame

    def welcome(self):
        """Reads the welcome and keeps its values."""
        frame = self.receive()
        assert frame["t"] == "welcome", frame
        self.phone.gen = frame["gen"]
        self.phone.acked = frame["up"]
        return frame

    def next(self, *kinds, patience_s=PATIENCE_S):
        """Reads until a frame of one of the kinds comes; counts numbered frames and answers pings."""
        deadline = time.monotonic() + patience_s
        while True:
            frame = self.receive(max(0.01, deadline - time.monotonic()))
            if "s" in frame:
                self.phone.down = max(self.phone.down, frame["s"])
            if frame["t"] == "ack":
                self.phone.acked = max(self.phone.acked, frame["a"])
            if frame["t"] == "ping":
                self.send({"t": "pong", "n": frame["n"], "mono": int(time.monotonic() * 1000)})
            if frame["t"] in kinds:
                return frame

    def ack(self):
        """Acks everything that was received."""
        mono = int(time.monotonic() * 1000)
        self.send({"t": "ack", "a": self.phone.down, "limit": self.phone.down + 500, "mono": mono})

    def fact(self, t, **fields):
        """Sends the next numbered fact."""
        self.phone.up += 1
        stamp = {"wall": int(time.time() * 1000), "mono": int(time.monotonic() * 1000)}
        frame = {"t": t, "s": self.phone.up, **stamp, **fields}
        self.send(frame)
        return frame

    def event(self, send, state, **fields):
        """Reports on an exposure."""
        return self.fact("event", id=send["id"], ep=send["ep"], state=state, **fields)

    def wait_acked(self, s=None):
        """Waits until the hub has stored a fact."""
        s = self.phone.up if s is None else s
        while self.phone.acked < s:
            self.next("ack")

    def close_code(self, patience_s=PATIENCE_S):
        """Reads to the end of the connection and returns its close code."""
        deadline = time.monotonic() + patience_s
        try:
            while True:
                self.ws.recv(timeout=max(0.01, deadline - time.monotonic()))
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None

    def close(self):
        """Closes the connection."""
        self.ws.close()
