"""One program under test: started, read line by line, stopped or killed; its output is kept for the report."""

import atexit
import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
import weakref

_BEGUN = weakref.WeakSet()


def loopback_environment(extra=None):
    """Returns this process's environment without proxies for loopback and without our own settings."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("ROUTE_HUB_")}
    env["NO_PROXY"] = env["no_proxy"] = "127.0.0.1,localhost,::1"
    env.setdefault("RUST_BACKTRACE", "1")
    env.update(extra or {})
    return env


class Died(AssertionError):
    """The program ended while something was still expected of it."""


@contextlib.contextmanager
def ended_after():
    """Ends each program that was started inside and still runs, whatever happens."""
    before = set(_BEGUN)
    try:
        yield
    finally:
        for program in set(_BEGUN) - before:
            program.kill()


@atexit.register
def _end_all():
    for program in set(_BEGUN):
        program.kill()


class Program:
    """A running program whose standard output and error are collected by threads."""

    def __init__(self, arguments, env=None, cwd=None, name=None):
        self.name = name or str(arguments[0])
        self.arguments = [str(a) for a in arguments]
        self.out = queue.Queue()
        self.out_lines = []
        self.err_lines = []
        self.process = subprocess.Popen(
            self.arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=loopback_environment(env),
            cwd=cwd,
            start_new_session=True,
        )
        _BEGUN.add(self)
        self._readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self._keep_out), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self.err_lines.append), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def _read(self, stream, keep):
        for line in stream:
            keep(line.decode("utf-8", "replace").rstrip("\n"))
        stream.close()

    def _keep_out(self, line):
        self.out_lines.append(line)
        self.out.put(line)

    @property
    def pid(self):
        """The process id."""
        return self.process.pid

    def alive(self):
        """Says whether the program still runs."""
        return self.process.poll() is None

    def line(self, patience_s=60.0):
        """Returns the next line of standard output."""
        deadline = time.monotonic() + patience_s
        while True:
            try:
                return self.out.get(timeout=0.05)
            except queue.Empty:
                pass
            if not self.alive() and self.out.empty():
                self._join()
                if self.out.empty():
                    raise Died(f"{self.name} ended with {self.process.returncode}:\n{self.words()}")
            if time.monotonic() > deadline:
                raise Died(f"{self.name} said nothing for {patience_s:g} s:\n{self.words()}")

    def type(self, line):
        """Writes one line to standard input; a program that has just ended does not read it."""
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def words(self):
        """Returns the end of what the program wrote to standard error."""
        return "\n".join(self.err_lines[-60:])

    def kill(self):
        """Kills the program, like a power cut."""
        if self.alive():
            self.process.kill()
        self.process.wait()
        self._join()

    def stop(self, sig=signal.SIGINT, patience_s=20.0):
        """Asks the program to end, and returns its exit code."""
        if self.alive():
            self.process.send_signal(sig)
        try:
            code = self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Died(f"{self.name} did not end within {patience_s:g} s of {sig!s}:\n{self.words()}") from None
        self._join()
        return code

    def _join(self):
        for reader in self._readers:
            reader.join(2)
        if self.process.stdin:
            try:
                self.process.stdin.close()
            except OSError:
                pass
