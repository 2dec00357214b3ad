"""The phone in an emulator, through its platform's commands."""

import pathlib
import shlex
import subprocess

PACKAGE = "org.postrider.agent"
DEBUG_RECEIVER = f"{PACKAGE}/.debug.DebugReceiver"
ACTION = f"{PACKAGE}.debug."
FOLDER = "no_backup/agent"
FIRST_WITH_AIRPLANE_COMMAND = 30

# What an app may only do once its user has allowed it; everything else is granted at installation.
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
    """A command that the phone refused."""


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
        """Runs a command on the phone; each word reaches it unchanged."""
        return self.run("shell", shlex.join(words), check=check).decode()

    def console(self, *words):
        """Sends a command to the emulator's own console."""
        return self.run("emu", *words)

    def sdk(self):
        """Returns the platform's API level."""
        return int(self.shell("getprop", "ro.build.version.sdk").strip())

    def abis(self):
        """Returns the kinds of processor whose code the phone runs, its own first."""
        return self.shell("getprop", "ro.product.cpu.abilist").strip().split(",")

    def install(self, apk, abi=None):
        """Installs the app again, for one kind of processor or the best, and grants its permissions."""
        self.run("uninstall", PACKAGE, check=False)
        self.run("install", "-r", *(["--abi", abi] if abi else []), apk)
        for permission in PERMISSIONS:
            # An older platform does not know all of them.
            self.shell("pm", "grant", PACKAGE, f"android.permission.{permission}", check=False)

    def lend_port(self, port):
        """Makes a port of this computer reachable from the phone as its own."""
        self.run("reverse", f"tcp:{port}", f"tcp:{port}")

    def open_link(self, link):
        """Opens a link as the phone's camera would."""
        self.shell("am", "start", "-W", "-a", "android.intent.action.VIEW", "-d", link)

    def maps(self):
        """Returns the files that the app's process has mapped."""
        pid = self.shell("pidof", PACKAGE).strip()
        return self.shell("run-as", PACKAGE, "cat", f"/proc/{pid}/maps")

    def tell(self, action, **extras):
        """Sends a command to the app's debug interface, which must accept it."""
        words = ["am", "broadcast", "-n", DEBUG_RECEIVER, "-a", ACTION + action]
        for name, value in extras.items():
            words += ["--es", name, value]
        answer = self.shell(*words)
        if "result=1" not in answer:
            raise AdbError(f"the app did not take {action}: {answer.strip()}")
        return answer

    def kill_app(self):
        """Kills the app's process; `am kill` would spare one with a service in the foreground."""
        pid = self.shell("pidof", PACKAGE, check=False).strip()
        if pid:
            self.shell("run-as", PACKAGE, "kill", "-9", pid)

    def set_airplane_mode(self, on):
        """Turns airplane mode on or off."""
        if self.sdk() >= FIRST_WITH_AIRPLANE_COMMAND:
            self.shell("cmd", "connectivity", "airplane-mode", "enable" if on else "disable")
            return
        # Older platforms take it from the settings, and tell apps only when root says so.
        self.run("root")
        self.run("wait-for-device")
        self.shell("settings", "put", "global", "airplane_mode_on", str(int(on)))
        self.shell("am", "broadcast", "-a", "android.intent.action.AIRPLANE_MODE", "--ez", "state", str(on).lower())

    def set_permission(self, name, given):
        """Grants a permission and opens the app, as its owner would; or takes it away, which ends the app."""
        permission = f"android.permission.{name}"
        if given:
            self.shell("pm", "grant", PACKAGE, permission)
            self.shell("am", "start", "-W", "-n", f"{PACKAGE}/.screens.StatusActivity")
            return
        self.shell("pm", "revoke", PACKAGE, permission)
        self.tell("START")

    def set_doze(self, on):
        """Lets the phone sleep as if unplugged for an hour, with the exemption that owners are asked for."""
        if on:
            self.shell("dumpsys", "deviceidle", "whitelist", f"+{PACKAGE}")
            self.shell("dumpsys", "battery", "unplug")
            self.shell("input", "keyevent", "KEYCODE_SLEEP")
            self.shell("dumpsys", "deviceidle", "force-idle")
            return
        self.shell("dumpsys", "deviceidle", "unforce")
        self.shell("dumpsys", "battery", "reset")
        self.shell("input", "keyevent", "KEYCODE_WAKEUP")

    def pull_journal(self, folder):
        """Copies the journal with its log, and returns its path."""
        for name in ("journal.db", "journal.db-wal"):
            rows = self.run("exec-out", "run-as", PACKAGE, "cat", f"{FOLDER}/{name}", check=False)
            pathlib.Path(folder, name).write_bytes(rows)
        return pathlib.Path(folder, "journal.db")
