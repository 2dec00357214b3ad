"""A library that a phone would refuse is refused before it goes into the APK."""

import os

import pytest

from android.tools import APP, run

import elf

SYMBOLS = APP / "no-ndk" / "platform-symbols.txt"
SOURCE = """
void *malloc(unsigned long);
int local = 3;
int *address(void) { return malloc(4) ? &local : 0; }
"""


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stubs")
    assert run(APP / "no-ndk" / "stubs", "aarch64-linux-android26", folder).returncode == 0
    return folder


@pytest.fixture
def link(stubs, tmp_path):
    """Returns a function that links SOURCE for a 64-bit phone and returns the library's bytes."""

    def build(*arguments, source=SOURCE):
        path = tmp_path / "library.so"
        result = run(
            "clang", "--target=aarch64-linux-android26", "-fuse-ld=lld", "-nostdlib", "-shared", f"-L{stubs}",
            "-fPIC", "-x", "c", "-", "-x", "none", "-o", path, "-Wl,-z,max-page-size=16384", *arguments, "-lc", input=source,
        )
        assert result.returncode == 0, result.stderr
        return path.read_bytes()

    return build


def problems(data, abi="arm64-v8a"):
    return list(elf.problems(abi, data, elf.allowed_symbols(SYMBOLS)))


def test_a_library_of_the_usual_kind_passes(link):
    assert problems(link()) == []


def test_pages_of_4_kilobytes_are_refused(link):
    found = problems(link("-Wl,-z,max-page-size=4096"))
    assert found and all("cannot be mapped with pages of 16 KB" in problem for problem in found)


def test_code_for_another_machine_is_refused(link):
    assert problems(link(), "x86_64") == ["is for another machine than x86_64"]


def test_an_executable_stack_is_refused(link):
    assert problems(link("-Wl,-z,execstack")) == ["needs an executable stack"]


def test_text_relocations_are_refused(link):
    source = "extern int local; int local = 3; __asm__(\".text\\n.quad local\\n\");"
    assert problems(link("-Wl,-z,notext", source=source)) == ["changes its own code when it is loaded"]


def test_a_symbol_that_is_not_on_the_list_is_refused(link):
    source = "int newer_than_any_phone(void); int call(void) { return newer_than_any_phone(); }"
    assert problems(link("-Wl,--unresolved-symbols=ignore-all", source=source)) == [
        "needs symbols that API 26 is not known to have: newer_than_any_phone"
    ]


def test_a_library_that_phones_do_not_have_is_refused(link, tmp_path):
    (tmp_path / "libother.so").write_bytes(link("-Wl,-soname,libother.so"))
    source = "int *address(void); int *again(void) { return address(); }"
    assert problems(link(tmp_path / "libother.so", source=source))[0] == "needs libother.so"


def test_the_linker_itself_refuses_a_symbol_that_is_not_on_the_list(stubs, tmp_path):
    result = run(
        APP / "no-ndk" / "link-with-clang", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", "-o", tmp_path / "library.so",
        input="int newer_than_any_phone(void); int call(void) { return newer_than_any_phone(); }",
        env={"PATH": os.environ["PATH"], "POSTRIDER_TRIPLE": "aarch64-linux-android26", "POSTRIDER_STUBS": str(stubs)},
    )
    assert result.returncode != 0
    assert "undefined symbol: newer_than_any_phone" in result.stderr


def test_every_name_is_on_the_list_once():
    lines = [line for line in SYMBOLS.read_text().splitlines() if line and not line.startswith("#")]
    assert lines == sorted(set(lines))
    assert {line.split()[0] for line in lines} <= {"libc", "libm", "libdl", "liblog"}
