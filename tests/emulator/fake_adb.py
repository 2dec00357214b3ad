#!/usr/bin/env python3
"""A stand-in for adb with a virtual phone behind it: a dry run for scripts/emulator.

The folder FAKE_ADB_FOLDER holds the phone; VIRTUAL_PHONE is its program. Each command is logged in
commands.txt there; a command that no emulator knows is an error.
"""

import contextlib
import json
import os
import pathlib
import select
import shlex
import signal
import subprocess
import sys
import urllib.parse

FOLDER = pathlib.Path(os.environ["FAKE_ADB_FOLDER"])
PHONE = FOLDER / "phone"
INPUT = FOLDER / "input.jsonl"
REVOKED = FOLDER / "revoked"


def sdk():
    return int(os.environ.get("FAKE_SDK", "35"))


def note(words):
    with open(FOLDER / "commands.txt", "a", encoding="utf-8") as file:
        file.write(shlex.join(words) + "\n")


def happen(line):
    with open(INPUT, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def pid():
    try:
        return int((FOLDER / "pid").read_text())
    except FileNotFoundError:
        return None


def start(arguments):
    """Starts the phone; its standard input follows a file, as `tail -f` does."""
    # A virtual phone has no permissions: instead of one that may not send it has no service.
    INPUT.write_text('{"kind": "service", "in": false}\n' if REVOKED.exists() else "")
    follow = subprocess.Popen(
        ["tail", "-n", "+1", "-F", str(INPUT)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    phone = subprocess.Popen(
        [os.environ["VIRTUAL_PHONE"], "--dir", str(PHONE), *arguments],
        stdin=follow.stdout,
        stdout=subprocess.DEVNULL,
        stderr=open(FOLDER / "phone.log", "ab"),
        start_new_session=True,
    )
    (FOLDER / "pid").write_text(str(phone.pid))
    (FOLDER / "follow").write_text(str(follow.pid))


def stop():
    for name in ("pid", "follow"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            end(int((FOLDER / name).read_text()))
            (FOLDER / name).unlink()


def end(process):
    """Ends a process and waits until it is gone, so that the journal is free."""
    handle = os.pidfd_open(process)
    try:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        select.select([handle], [], [])
    finally:
        os.close(handle)


def broadcast(words):
    action = words[words.index("-a") + 1].rsplit(".", 1)[1]
    extras = {words[i + 1]: words[i + 2] for i, word in enumerate(words) if word == "--es"}
    if action == "JOIN":
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(extras["link"]).query)
        start(["--hub", query["hub"][0], "--pair", query["code"][0], "--number", "+15005550001"])
    elif action == "START":
        start([])
    elif action == "LEAVE":
        stop()
        for file in PHONE.iterdir():
            file.unlink()
    is_known = action in ("JOIN", "START", "LEAVE", "STATUS")
    words = ', data="paired=null running=false"' if action == "STATUS" else ""
    print(f"Broadcast completed: result={int(is_known)}{words}")


def shell(line):
    words = shlex.split(line)
    match words:
        case ["am", "start", "-W", "-a", "android.intent.action.VIEW", "-d", link] if link.startswith("postrider://pair?"):
            pass
        case ["am", "broadcast", "-n", *rest]:
            broadcast(rest)
        case ["pidof", _]:
            print(pid() or os.environ.get("FAKE_PID", ""))
        case ["run-as", _, "kill", "-9", _]:
            stop()
        case ["pm", "grant", _, _]:
            REVOKED.unlink(missing_ok=True)
        case ["pm", "revoke", _, "android.permission.SEND_SMS"]:
            # The platform ends an app that loses a permission.
            stop()
            REVOKED.touch()
        case ["am", "start", "-W", "-n", "org.postrider.agent/.screens.StatusActivity"]:
            happen({"kind": "service", "in": True})
        case ["cmd", "connectivity", "airplane-mode", "enable" | "disable" as mode] if sdk() >= 30:
            happen({"kind": "airplane", "on": mode == "enable"})
        case ["getprop", "sys.boot_completed"]:
            print("1")
        case ["getprop", "ro.build.version.sdk"]:
            print(os.environ.get("FAKE_SDK", "35"))
        case ["getprop", "ro.product.cpu.abilist"]:
            print("x86_64,arm64-v8a,armeabi-v7a")
        case ["run-as", _, "cat", maps] if maps.startswith("/proc/"):
            print("7f00 r-xp /data/app/lib/libpostrider_android.so" if os.environ.get("FAKE_LOADS", "yes") == "yes" else "")
        case ["settings", "put", "global", "airplane_mode_on", "0" | "1"] if sdk() < 30:
            pass
        case ["am", "broadcast", "-a", "android.intent.action.AIRPLANE_MODE", "--ez", "state", "true" | "false" as on] if sdk() < 30:
            happen({"kind": "airplane", "on": on == "true"})
        case ["dumpsys", "deviceidle", "whitelist", _] | ["dumpsys", "deviceidle", "force-idle" | "unforce"]:
            pass
        case ["dumpsys", "battery", "unplug" | "reset"] | ["input", "keyevent", "KEYCODE_SLEEP" | "KEYCODE_WAKEUP"]:
            pass
        case _:
            sys.exit(f"no phone knows this: {line}")


def console(words):
    match words:
        case ["sms", "send", number, *text]:
            happen({"kind": "sms", "from": f"+{number}", "text": " ".join(text)})
        case ["gsm", "call", number]:
            (FOLDER / "ringing").write_text(number)
        case ["gsm", "cancel", number] if (FOLDER / "ringing").read_text() == number:
            happen({"kind": "call", "from": f"+{number}", "ring_s": 0})
        case ["kill"]:
            stop()
        case _:
            sys.exit(f"the console knows no {shlex.join(words)}")


def main():
    words = sys.argv[1:]
    if words[:1] == ["-s"]:
        words = words[2:]
    note(words)
    match words:
        case ["shell", line]:
            shell(line)
        case ["emu", *rest]:
            console(rest)
        case ["exec-out", "run-as", _, "cat", file]:
            sys.stdout.buffer.write((PHONE / pathlib.Path(file).name).read_bytes())
        case ["wait-for-device"] | ["devices"] | ["reverse", _, _] | ["uninstall", _] | ["root"]:
            pass
        case ["install", "-r", _] | ["install", "-r", "--abi", _, _]:
            pass
        case _:
            sys.exit(f"adb knows no {shlex.join(words)}")


main()
