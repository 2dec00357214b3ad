"""The scenarios, played on a virtual phone instead of an emulator: tests the script itself."""

import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import zipfile

import pytest

from emulator import journal
from emulator.adb import Adb, AdbError
from emulator.play import SCENARIOS

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug"
FAKE = pathlib.Path(__file__).with_name("fake_adb.py")


@pytest.fixture(name="sdk")
def make_sdk(tmp_path):
    """An SDK whose adb is a virtual phone, and whose other tools log their calls."""
    tools = tmp_path / "sdk"
    (tools / "platform-tools").mkdir(parents=True)
    (tools / "cmdline-tools/latest/bin").mkdir(parents=True)
    (tools / "emulator").mkdir()
    (tools / "platform-tools/adb").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n')
    called = tmp_path / "called"
    for name in ("cmdline-tools/latest/bin/avdmanager", "emulator/emulator"):
        (tools / name).write_text(f'#!/bin/sh\necho "{name} $*" >> "{called}"\n')
    for tool in tools.rglob("*"):
        tool.chmod(0o755)
    (tmp_path / "phone").mkdir()
    (tmp_path / "app.apk").write_bytes(b"")
    environment = {
        **os.environ,
        "ANDROID_HOME": str(tools),
        "FAKE_ADB_FOLDER": str(tmp_path),
        "VIRTUAL_PHONE": str(PROGRAMS / "virtual-phone"),
        "PYTHON": sys.executable,
    }
    yield tmp_path, environment
    subprocess.run([tools / "platform-tools/adb", "emu", "kill"], env=environment, check=False)


def run(sdk, *arguments):
    folder, environment = sdk
    command = ["scripts/emulator", "--apk", str(folder / "app.apk"), *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("scenario", sorted(folder.name for folder in SCENARIOS.iterdir()))
def test_a_scenario_holds(sdk, scenario):
    done = run(sdk, scenario)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{scenario}: held" in done.stdout


def test_an_emulator_is_made_started_and_stopped(sdk):
    folder, _ = sdk
    assert run(sdk, "first-message").returncode == 0
    called = (folder / "called").read_text()
    assert "avdmanager create avd --name postrider-35 --package system-images;android-35;default;" in called
    assert "emulator/emulator -avd postrider-35 -no-window" in called
    commands = (folder / "commands.txt").read_text().splitlines()
    assert "wait-for-device" in commands
    assert any("pm grant org.postrider.agent android.permission.SEND_SMS" in command for command in commands)
    assert any("android.intent.action.VIEW -d" in command for command in commands)
    assert commands[-1] == "emu kill"


def test_an_old_platform_is_made_and_led_as_it_knows(sdk):
    folder, environment = sdk
    environment["FAKE_SDK"] = "27"
    done = run(sdk, "--api", "27", "airplane")
    assert done.returncode == 0, done.stdout + done.stderr
    called = (folder / "called").read_text()
    assert "avdmanager create avd --name postrider-27 --package system-images;android-27;default;" in called
    commands = (folder / "commands.txt").read_text()
    assert "settings put global airplane_mode_on 1" in commands
    assert "airplane-mode enable" not in commands


def test_a_phone_that_sleeps_is_woken_afterwards(sdk):
    folder, _ = sdk
    assert run(sdk, "doze").returncode == 0
    commands = (folder / "commands.txt").read_text()
    order = [commands.index(f"dumpsys {words}") for words in ("battery unplug", "deviceidle force-idle", "deviceidle unforce", "battery reset")]
    assert order == sorted(order)


def apk_for(folder, *abis):
    """Writes an APK with a core for these kinds of processor."""
    with zipfile.ZipFile(folder / "app.apk", "w") as archive:
        for abi in abis:
            archive.writestr(f"lib/{abi}/libpostrider_android.so", b"")


def test_the_core_is_loaded_once_for_each_kind_of_processor(sdk):
    folder, environment = sdk
    apk_for(folder, "arm64-v8a", "x86_64")
    environment["FAKE_PID"] = "4242"
    done = run(sdk, "--serial", "emulator-5554", "--load")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-2:] == ["x86_64: loaded", "arm64-v8a: loaded"]
    commands = (folder / "commands.txt").read_text()
    assert commands.index("install -r --abi x86_64") < commands.index("install -r --abi arm64-v8a")


def test_a_core_that_is_not_loaded_is_said(sdk):
    folder, environment = sdk
    apk_for(folder, "x86_64")
    environment.update(FAKE_LOADS="no", FAKE_PID="4242")
    done = run(sdk, "--serial", "emulator-5554", "--load")
    assert done.returncode == 1
    assert "x86_64: the core's library is not in the process" in done.stdout
    apk_for(folder, "riscv64")
    assert "the app is built for riscv64" in run(sdk, "--serial", "emulator-5554", "--load").stdout


def test_a_device_that_runs_is_left_running(sdk):
    folder, _ = sdk
    assert run(sdk, "--serial", "emulator-5554", "incoming").returncode == 0
    assert not (folder / "called").exists()
    assert "emu kill" not in (folder / "commands.txt").read_text().splitlines()


def test_a_phone_that_does_nothing_fails(sdk):
    _, environment = sdk
    environment["VIRTUAL_PHONE"] = shutil.which("true")
    done = subprocess.run(
        [sys.executable, "tests/emulator/play.py", "--adb", str(pathlib.Path(environment["ANDROID_HOME"], "platform-tools/adb")),
         "--stub", str(PROGRAMS / "server-stub"), "--within-s", "1", "first-message"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=200, check=False,
    )
    assert done.returncode == 1
    assert "first-message: never seen" in done.stdout


def test_what_the_app_does_not_take_is_said(sdk, monkeypatch):
    folder, environment = sdk
    monkeypatch.setenv("FAKE_ADB_FOLDER", str(folder))
    adb = Adb(pathlib.Path(environment["ANDROID_HOME"], "platform-tools/adb"))
    with pytest.raises(AdbError, match="the app did not take FLY: Broadcast completed: result=0"):
        adb.tell("FLY")


def test_an_unknown_scenario_is_refused(sdk):
    done = run(sdk, "flying")
    assert done.returncode == 2
    assert "there is no scenario flying" in done.stderr


def test_a_journal_that_differs_is_told(tmp_path):
    path = tmp_path / "journal.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE message (id INTEGER, ep INTEGER, state TEXT)")
        database.executemany("INSERT INTO message VALUES (?, 1, ?)", [(1, "sent"), (2, "failed"), (3, "sent"), (4, "on_phone"), (6, "delivered"), (7, "sent")])
    message = {"exposure": 1, "label": "message", "status": "sent"}
    told = {
        "messages": [
            {**message, "id": "SM0000000000000001", "states": ["on_phone", "sent"]},
            {**message, "id": "SM0000000000000002", "states": ["on_phone", "sent"]},
            {**message, "id": "SM0000000000000005", "states": ["sent"]},
            {**message, "id": "SM0000000000000004", "states": []},
            {**message, "id": "SM0000000000000006", "states": ["sent"]},
            {**message, "id": "SM0000000000000007", "states": ["sent", "delivered"]},
        ]
    }
    found = journal.differences(path, told)
    assert [line.split(":")[0] for line in found] == [f"SM000000000000000{n}/1" for n in (2, 5, 7, 3)]
