"""How the core is built for phones and the APK is signed, with stand-ins for what is missing here."""

import os
import re
import zipfile

import pytest

from android.tools import APP, TOOLS, run

import apk

# Writes down how it was called, and makes the file that a build would.
CARGO = """#!/bin/sh
{
    echo "cargo $*"
    echo "sqlite" $LIBSQLITE3_FLAGS
    printf '%s\\n' "$CARGO_ENCODED_RUSTFLAGS" | tr '\\037' '\\n' | sed 's/^/flag /'
} >>"$LOG"
case "$*" in
*--target*linux-android*)
    for triple in aarch64-linux-android x86_64-linux-android; do
        mkdir -p "$CARGO_TARGET_DIR/$triple/android"
        : >"$CARGO_TARGET_DIR/$triple/android/libpostrider_android.so"
    done ;;
esac
"""


@pytest.fixture
def calls(tmp_path):
    """Returns a function that runs part of tools/libraries.sh with a stand-in for cargo, and returns its calls."""
    home = tmp_path / "cargo"
    (home / "registry/src/index-1").mkdir(parents=True)
    (home / "bin").mkdir()
    (home / "bin/cargo").write_text(CARGO)
    (home / "bin/cargo").chmod(0o755)
    environment = {
        **os.environ,
        "CARGO_HOME": str(home),
        "CARGO_TARGET_DIR": str(tmp_path / "built"),
        "POSTRIDER_ANDROID_OUT": str(tmp_path / "out"),
        "LOG": str(tmp_path / "log"),
    }

    def called(function):
        script = f'source "{TOOLS}/steps.sh"; source "{TOOLS}/libraries.sh"; {function} "{tmp_path}/libraries"; echo "${{abis[@]}}"'
        result = run("bash", "-euo", "pipefail", "-c", script, env=environment)
        assert result.returncode == 0, result.stderr
        return (tmp_path / "log").read_text(), result.stdout.splitlines()[-1].split()

    return called


def test_with_an_ndk_three_kinds_of_phone_are_built_for(calls, tmp_path):
    log, abis = calls("ndk_libraries")
    builds = re.findall(r"cargo ndk --target (\S+) --platform 26 --output-dir (\S+) rustc (.*)", log)
    assert abis == [abi for abi, _, _ in builds] == ["arm64-v8a", "armeabi-v7a", "x86_64"]
    assert {folder for _, folder, _ in builds} == {str(tmp_path / "libraries")}
    for _, _, arguments in builds:
        assert "--profile android -p postrider-android --lib --crate-type cdylib --features logcat" in arguments
    assert log.count("flag -Clink-arg=-Wl,-z,max-page-size=16384") == 3


def test_without_an_ndk_two_kinds_of_phone_are_built_for(calls, tmp_path):
    log, abis = calls("free_libraries")
    builds = re.findall(r"cargo rustc --target (\S+) (.*)", log)
    assert [target for target, _ in builds] == ["aarch64-linux-android", "x86_64-linux-android"]
    assert abis == ["arm64-v8a", "x86_64"]
    for abi, (_, arguments) in zip(abis, builds):
        assert arguments.endswith("--features no-ndk,logcat")
        assert (tmp_path / "libraries" / abi / "libpostrider_android.so").exists()


@pytest.mark.parametrize("way", ["ndk_libraries", "free_libraries"])
def test_phones_alone_get_a_smaller_sqlite(calls, way):
    here, *phones = re.findall("^sqlite.*", calls(f"cargo build; {way}")[0], re.MULTILINE)
    assert "FTS" not in here
    assert {"-DSQLITE_DEFAULT_MEMSTATUS=0", "-USQLITE_ENABLE_FTS5"} <= set(phones[-1].split())


@pytest.mark.parametrize("way", ["ndk_libraries", "free_libraries"])
def test_this_computers_folders_are_replaced_in_the_library(calls, tmp_path, way):
    flags = re.findall("flag (--remap-path-prefix=.*)", calls(way)[0])
    replaced = dict(flag.removeprefix("--remap-path-prefix=").rsplit("=", 1) for flag in flags)
    assert replaced[str(APP.parent)] == "postrider"
    assert replaced[str(tmp_path / "built")] == "target"
    assert replaced[str(tmp_path / "cargo/registry/src/index-1")] == "crates"


@pytest.fixture
def unsigned(tmp_path):
    """The smallest possible APK."""
    with zipfile.ZipFile(tmp_path / "resources.apk", "w") as archive:
        archive.writestr("AndroidManifest.xml", b"")
    (tmp_path / "classes.dex").write_bytes(b"dex")
    apk.pack(tmp_path / "unsigned.apk", tmp_path / "resources.apk", tmp_path / "classes.dex", tmp_path / "none")
    return tmp_path / "unsigned.apk"


def sign(unsigned, **variables):
    """Signs the APK and returns the output, and the names of the signers."""
    signed = unsigned.with_name("signed.apk")
    environment = {**os.environ, "POSTRIDER_DEBUG_KEYS": str(unsigned.parent / "keys"), **variables}
    result = run(TOOLS / "sign", unsigned, signed, env=environment)
    names = run("apksigner", "verify", "--min-sdk-version", "26", "--print-certs", signed).stdout
    return result, re.findall(r"certificate DN: (.*)", names)


def test_without_a_key_of_ones_own_a_debug_key_is_made_once(unsigned):
    assert sign(unsigned)[1] == ["CN=Postrider debug"]
    key = (unsigned.parent / "keys/debug.p12").read_bytes()
    assert sign(unsigned)[1] == ["CN=Postrider debug"]
    assert (unsigned.parent / "keys/debug.p12").read_bytes() == key


def test_a_key_of_ones_own_signs_and_its_password_is_not_said(unsigned, tmp_path):
    for alias in ("first", "second"):
        run(
            "keytool", "-genkeypair", "-keystore", tmp_path / "own.p12", "-storetype", "PKCS12", "-storepass", "open sesame",
            "-alias", alias, "-keyalg", "RSA", "-keysize", "2048", "-dname", f"CN={alias} owner",
        )
    variables = {"POSTRIDER_KEYSTORE": str(tmp_path / "own.p12"), "POSTRIDER_KEYSTORE_PASSWORD": "open sesame"}
    result, names = sign(unsigned, POSTRIDER_KEY_ALIAS="second", **variables)
    assert names == ["CN=second owner"]
    assert "sesame" not in result.stdout + result.stderr


def test_a_wrong_password_ends_the_build_and_is_not_said(unsigned, tmp_path):
    sign(unsigned)
    (tmp_path / "signed.apk").unlink()
    variables = {"POSTRIDER_KEYSTORE": str(tmp_path / "keys/debug.p12"), "POSTRIDER_KEYSTORE_PASSWORD": "wrong sesame"}
    result, names = sign(unsigned, **variables)
    assert result.returncode != 0
    assert names == []
    assert "sesame" not in result.stdout + result.stderr


def test_a_keystore_without_its_password_ends_the_build(unsigned, tmp_path):
    result, names = sign(unsigned, POSTRIDER_KEYSTORE=str(tmp_path / "own.p12"))
    assert result.returncode != 0
    assert "POSTRIDER_KEYSTORE_PASSWORD" in result.stderr
    assert names == []
