"""The phone in an emulator, by the commands of its platform."""

import pathlib
import shlex
import subprocess

PACKAGE = "org.postrider.agent"
DEBUG_RECEIVER = f"{PACKAGE}/.debug.DebugReceiver"
ACTION = f"{PACKAGE}.debug."
FOLDER = "no_backup/agent"

# What an app may only do once its user has allowed it; the rest is given at installation.
PERMISSIONS = (
    "SEND_SMS",
    "RECEIVE_SMS",
    "READ_SMS",
    "RECEIVE_MMS",
    "CALL_PHONE",
    "READ_CALL_LOG",
    "READ_PHONE_STATE",
    "READ_PHONE_NUMBERS",
    "POST_NOTIFICATIONS",
)


class AdbError(Exception):
    """A command that the phone did not take."""


class Adb:
    """One emulator, named by its serial number or the only one there."""

    def __init__(self, program="adb", serial=None):
        self.command = [program] + (["-s", serial] if serial else [])

    def run(self, *arguments, check=True):
        """Runs a command of adb and returns what it printed."""
        done = subprocess.run(self.command + list(arguments), capture_output=True, timeout=180, check=False)
        if check and done.returncode != 0:
            raise AdbError(f"adb {arguments[0]} ended with {done.returncode}: {done.stderr.decode().strip()}")
        return done.stdout

    def shell(self, *words, check=True):
        """Runs a command on the phone; each word reaches it as it is."""
        return self.run("shell", shlex.join(words), check=check).decode()

    def console(self, *words):
        """Says something to the emulator's own console."""
        return self.run("emu", *words)

    def install(self, apk):
        """Installs the app anew and allows what its user would be asked for."""
        self.run("uninstall", PACKAGE, check=False)
        self.run("install", "-r", apk)
        for permission in PERMISSIONS:
            # An older platform does not know all of them.
            self.shell("pm", "grant", PACKAGE, f"android.permission.{permission}", check=False)

    def lend_port(self, port):
        """Lets the phone reach a port of this computer as its own."""
        self.run("reverse", f"tcp:{port}", f"tcp:{port}")

    def open_link(self, link):
        """Opens a link as the phone's camera would."""
        self.shell("am", "start", "-W", "-a", "android.intent.action.VIEW", "-d", link)

    def tell(self, action, **extras):
        """Says something to the app's debug interface, which has to take it."""
        words = ["am", "broadcast", "-n", DEBUG_RECEIVER, "-a", ACTION + action]
        for name, value in extras.items():
            words += ["--es", name, value]
        answer = self.shell(*words)
        if "result=1" not in answer:
            raise AdbError(f"the app did not take {action}: {answer.strip()}")

    def kill_app(self):
        """Kills the app's process; `am kill` would spare one with a service in the foreground."""
        pid = self.shell("pidof", PACKAGE, check=False).strip()
        if pid:
            self.shell("run-as", PACKAGE, "kill", "-9", pid)

    def set_airplane_mode(self, on):
        """Turns airplane mode on or off."""
        self.shell("cmd", "connectivity", "airplane-mode", "enable" if on else "disable")

    def pull_journal(self, folder):
        """Copies the journal, and what is not in its file yet, and returns its path."""
        for name in ("journal.db", "journal.db-wal"):
            rows = self.run("exec-out", "run-as", PACKAGE, "cat", f"{FOLDER}/{name}", check=False)
            pathlib.Path(folder, name).write_bytes(rows)
        return pathlib.Path(folder, "journal.db")
