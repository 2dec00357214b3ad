"""The proxy: each fault reaches the connections that it should, and nothing else."""

import contextlib
import socket
import threading

import pytest

from cluster.proxied import DOWN, UP, Proxied
from cluster.proxy import COMMIT, COMMITTED, Answers
from support.wait import until

READY = b"Z\0\0\0\x05I"
ROW = b"D" + (4 + 6).to_bytes(4, "big") + b"COMMIT"


class Echo:
    """Answers every client with its own bytes, behind its name."""

    def __init__(self, name=b""):
        self.name = name
        self.got = b""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        self.listener.close()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client):
        with contextlib.suppress(OSError), client:
            while data := client.recv(4096):
                self.got += data
                client.sendall(self.name + data)


@pytest.fixture
def echo():
    with contextlib.closing(Echo()) as server:
        yield server


@pytest.fixture
def proxy(echo):
    with contextlib.closing(Proxied(echo.port, postgres=True)) as made:
        yield made


@contextlib.contextmanager
def client(proxy):
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=20) as made:
        yield made


def say(connection, data):
    """Sends bytes, and returns as many that come back; fewer when the connection ends."""
    connection.sendall(data)
    return hear(connection, len(data))


def hear(connection, count):
    answer = b""
    with contextlib.suppress(ConnectionResetError):
        while len(answer) < count and (more := connection.recv(count - len(answer))):
            answer += more
    return answer


def test_bytes_pass_whole_in_both_directions_to_the_end(proxy):
    data = bytes(range(256)) * 4000
    with client(proxy) as one:
        sending = threading.Thread(target=lambda: (one.sendall(data), one.shutdown(socket.SHUT_WR)))
        sending.start()
        assert hear(one, len(data)) == data
        sending.join()
        assert one.recv(1) == b""
    until(lambda: proxy.seen()["open"] == 0, "the link ends")
    assert (proxy.seen()[UP], proxy.seen()[DOWN]) == (len(data), len(data))


def test_clients_go_to_each_server_in_turn_and_past_a_dead_one(echo):
    with contextlib.closing(Echo(b"2")) as second, contextlib.closing(socket.socket()) as dead:
        dead.bind(("127.0.0.1", 0))
        with contextlib.closing(Proxied(echo.port, dead.getsockname()[1], second.port)) as proxy:
            heard = []
            for _ in range(4):
                with client(proxy) as one:
                    one.sendall(b"x")
                    heard.append(one.recv(2))
            assert sorted(heard) == [b"2x", b"2x", b"x", b"x"]


def test_a_cut_breaks_open_links_and_not_later_ones(proxy):
    with client(proxy) as one:
        assert say(one, b"a") == b"a"
        assert proxy.cut()["cut"] == 1
        assert hear(one, 1) == b""
    with client(proxy) as other:
        assert say(other, b"b") == b"b"


def test_a_client_that_is_refused_is_broken_off(proxy):
    proxy.refuse()
    with client(proxy) as one:
        assert hear(one, 1) == b""
    proxy.refuse(False)
    with client(proxy) as one:
        assert say(one, b"a") == b"a"


@pytest.mark.parametrize("way", [UP, DOWN])
def test_a_stall_holds_one_direction_until_it_flows_again(proxy, echo, way):
    with client(proxy) as one:
        assert say(one, b"a") == b"a"
        assert proxy.stall(way)["held"] == 0
        one.sendall(b"b")
        until(lambda: proxy.seen()["held"] == 1, "a byte is held")
        one.setblocking(False)
        with pytest.raises(BlockingIOError):
            one.recv(1)
        one.settimeout(20)
        assert echo.got == (b"ab" if way == DOWN else b"a")
        proxy.flow()
        assert hear(one, 1) == b"b"


def test_what_is_delayed_still_arrives_in_order(proxy):
    proxy.delay(0.01)
    with client(proxy) as one:
        assert b"".join(say(one, bytes([n])) for n in range(20)) == bytes(range(20))


def test_the_answers_to_so_many_commits_are_lost_with_their_connections(proxy, echo):
    proxy.swallow_commits(1)
    with client(proxy) as one:
        assert say(one, ROW + READY) == ROW + READY
        assert say(one, COMMITTED) == b""
    assert echo.got.endswith(COMMITTED), "the server did it"
    assert proxy.seen()["swallowed"] == 1
    with client(proxy) as other:
        assert say(other, COMMITTED) == COMMITTED


def test_so_many_commits_are_lost_on_their_way_with_their_connections(proxy, echo):
    proxy.withhold_commits(1)
    with client(proxy) as one:
        assert say(one, b"a") == b"a"
        assert say(one, COMMIT) == b""
    assert echo.got == b"a", "the server knows nothing of it"
    assert proxy.seen()["withheld"] == 1
    with client(proxy) as other:
        assert say(other, COMMIT) == COMMIT


def test_another_server_s_bytes_are_not_read_as_postgresql(echo):
    with contextlib.closing(Proxied(echo.port)) as proxy:
        proxy.swallow_commits(1)
        with client(proxy) as one:
            assert say(one, COMMITTED) == COMMITTED


@pytest.mark.parametrize("step", [1, 3, 7, 1000])
def test_an_answer_is_seen_however_its_bytes_arrive(step):
    said = b"N" + ROW + COMMITTED + READY
    answers = Answers()
    told = [answers.tell_of_commit(said[at : at + step]) for at in range(0, len(said), step)]
    assert told.count(True) == 1


def test_a_transaction_that_was_rolled_back_is_no_commit():
    assert not Answers().tell_of_commit(b"C" + (4 + 9).to_bytes(4, "big") + b"ROLLBACK\0")
