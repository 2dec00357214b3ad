"""The content of an APK is read back from its own files, and any difference ends the build."""

import struct
import zipfile

import pytest

from android.tools import made, run
from lint.planted import switches

import apk

MANIFEST = """<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="org.example.app"
    android:versionCode="1" android:versionName="1.0">
  <uses-sdk android:minSdkVersion="26" android:targetSdkVersion="36" />
  <uses-permission android:name="android.permission.SEND_SMS" />
  {permission}
  <application android:name=".App" android:allowBackup="false" {application}>
    <service android:name=".Work" android:exported="{exported}" android:foregroundServiceType="remoteMessaging" />
    <receiver android:name=".Received" android:exported="true" android:permission="android.permission.BROADCAST_SMS">
      <intent-filter><action android:name="android.provider.Telephony.SMS_RECEIVED" /></intent-filter>
    </receiver>
    {component}
  </application>
</manifest>
"""
USUAL = {"permission": "", "application": "", "exported": "false", "component": ""}
EXPECTED = """
package org.example.app
min-sdk 26
target-sdk 36
uses-permission android.permission.SEND_SMS
application .App allowBackup=false
service .Work exported=false foregroundServiceType=0x200
receiver .Received exported=true permission=android.permission.BROADCAST_SMS
  intent-filter
    action android.provider.Telephony.SMS_RECEIVED
code classes.dex
library ABI libone.so   # one for each kind of processor
"""
# The emulator's receiver, as it stands in the second manifest.
DEBUG = """<manifest xmlns:android="http://schemas.android.com/apk/res/android">
  <application><receiver android:name=".debug.Remote" android:exported="true" /></application>
</manifest>
"""


def dex(*kinds, text=b""):
    """Returns the part of a dex file that the reader looks at: its map, and more."""
    parts = b"".join(struct.pack("<HHII", kind, 0, 1, 0) for kind in kinds)
    return bytes(52) + struct.pack("<I", 56) + struct.pack("<I", len(kinds)) + parts + text


@pytest.fixture
def build(tmp_path):
    """Returns a function that packs an APK with the given differences and returns its path."""

    def packed(code=None, library=b"library", manifest=MANIFEST, **differences):
        (tmp_path / "AndroidManifest.xml").write_text(manifest.format(**{**USUAL, **differences}))
        (tmp_path / "classes.dex").write_bytes(code or dex(0, 1))
        folder = tmp_path / "lib" / "x86_64"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "libone.so").write_bytes(library)
        result = run(
            "aapt2", "link", "-I", made("framework.apk"), "-o", tmp_path / "resources.apk",
            "--manifest", tmp_path / "AndroidManifest.xml",
        )
        assert result.returncode == 0, result.stderr
        apk.pack(tmp_path / "out.apk", tmp_path / "resources.apk", tmp_path / "classes.dex", tmp_path / "lib")
        return tmp_path / "out.apk"

    return packed


@pytest.fixture
def problems(tmp_path):
    def found(path, *forbidden):
        (tmp_path / "expected").write_text(EXPECTED)
        return list(apk.problems(path, apk.expected(tmp_path / "expected", ["x86_64"]), forbidden))

    return found


def test_what_is_expected_passes(build, problems):
    assert problems(build()) == []


@pytest.mark.parametrize(
    ("differences", "said"),
    [
        (
            {"permission": '<uses-permission android:name="android.permission.READ_CONTACTS" />'},
            ["not expected: uses-permission android.permission.READ_CONTACTS"],
        ),
        (
            {"component": '<receiver android:name=".Received" android:exported="true" />' * 2},
            ["not expected: receiver .Received exported=true"] * 2,
        ),
        (
            {"component": '<service android:name=".Work" android:exported="false" android:foregroundServiceType="remoteMessaging" />'},
            ["not expected: service .Work exported=false foregroundServiceType=0x200"],
        ),
        (
            {"exported": "true"},
            [
                "missing: service .Work exported=false foregroundServiceType=0x200",
                "not expected: service .Work exported=true foregroundServiceType=0x200",
            ],
        ),
        (
            {"application": 'android:debuggable="true"'},
            ["missing: application .App allowBackup=false", "not expected: application .App allowBackup=false debuggable=true"],
        ),
        (
            {"component": '<provider android:name=".Data" android:authorities="org.example" android:exported="true" />'},
            ["not expected: provider .Data authorities=org.example exported=true"],
        ),
        ({"code": dex(0, 7)}, ["not expected: classes.dex has an invokedynamic"]),
        (
            {"code": dex(0, 1, text=b"Lorg/postrider/agent/debug/Remote;")},
            ["not expected: classes.dex has the emulator's interface"],
        ),
    ],
    ids=["permission", "components", "repeated", "exported", "debuggable", "component", "invokedynamic", "emulator's interface"],
)
def test_a_difference_is_said(build, problems, differences, said):
    assert problems(build(**differences)) == said


def test_a_filter_counts_for_the_component_that_it_stands_in(build, problems):
    swapped = MANIFEST.replace("<intent-filter>", "</receiver><activity android:name='.A'><intent-filter>").replace(
        "</intent-filter>\n    </receiver>", "</intent-filter>\n    </activity>"
    )
    assert "missing: receiver .Received exported=true permission=android.permission.BROADCAST_SMS / intent-filter" in problems(
        build(manifest=swapped)
    )


def test_a_missing_and_a_surplus_library_are_said(build, problems, tmp_path):
    path = build()
    (tmp_path / "lib/x86_64/libone.so").rename(tmp_path / "lib/x86_64/libtwo.so")
    apk.pack(path, tmp_path / "resources.apk", tmp_path / "classes.dex", tmp_path / "lib")
    assert problems(path) == ["missing: library x86_64 libone.so", "not expected: library x86_64 libtwo.so"]


def test_a_folder_of_this_computer_in_a_library_is_said(build, problems):
    path = build(library=b"... /home/somebody/postrider/core/agent/src/lib.rs ...")
    assert problems(path, "/home/somebody") == ["lib/x86_64/libone.so names /home/somebody"]


def test_a_planted_mistake_in_a_library_is_said(build, problems):
    path = build(library=b"\x00no_phone_guardearly_purge\x00")
    said = problems(path, *sorted(switches()))
    assert said == ["lib/x86_64/libone.so names early_purge", "lib/x86_64/libone.so names no_phone_guard"]


def test_an_apk_that_is_too_large_is_said(build, problems, monkeypatch):
    monkeypatch.setattr(apk, "SIZE_MAX_BYTES", 1000)
    (said,) = problems(build())
    assert said.endswith("bytes are more than 1000")


def test_the_same_input_gives_the_same_bytes(build):
    assert build().read_bytes() == build().read_bytes()


def test_the_sizes_of_the_parts_add_up_to_the_whole(build):
    path = build()
    *parts, whole = apk.sizes(path)
    assert whole[0] == path.stat().st_size == sum(packed for packed, _, _ in parts)


def test_a_build_for_the_emulator_has_the_components_of_both_manifests(build, tmp_path):
    (tmp_path / "main.xml").write_text(MANIFEST.format(**USUAL))
    (tmp_path / "debug.xml").write_text(DEBUG)
    apk.with_debug(tmp_path / "main.xml", tmp_path / "debug.xml", tmp_path / "both.xml")
    lines = list(apk.read(build(manifest=(tmp_path / "both.xml").read_text())))
    assert "application .App allowBackup=false debuggable=true" in lines
    assert "receiver .debug.Remote exported=true" in lines
    assert "service .Work exported=false foregroundServiceType=0x200" in lines


def test_a_build_for_a_hub_opens_its_page_and_is_expected_to(build, tmp_path):
    screen = '<activity android:name=".screens.PairActivity" android:exported="true" />'
    (tmp_path / "main.xml").write_text(MANIFEST.format(**{**USUAL, "component": screen}))
    (tmp_path / "wanted").write_text(EXPECTED + "activity .screens.PairActivity exported=true\n")
    apk.with_host(tmp_path / "main.xml", "gateway.example.org", tmp_path / "host.xml")
    apk.expect_host(tmp_path / "wanted", "gateway.example.org", tmp_path / "wanted-host")
    path = build(manifest=(tmp_path / "host.xml").read_text())
    assert "    data host=gateway.example.org path=/pair scheme=https" in list(apk.read(path))
    wanted = apk.expected(tmp_path / "wanted-host", ["x86_64"])
    assert list(apk.problems(path, wanted, [])) == []
    unlinked = list(apk.problems(path, apk.expected(tmp_path / "wanted", ["x86_64"]), []))
    assert any("autoVerify=true" in line for line in unlinked)


def test_the_resource_table_is_stored_so_that_it_can_be_mapped(build, tmp_path):
    with zipfile.ZipFile(build()) as archive:
        methods = {info.filename: info.compress_type for info in archive.infolist()}
    assert methods["resources.arsc"] == zipfile.ZIP_STORED
    assert methods["classes.dex"] == zipfile.ZIP_DEFLATED
