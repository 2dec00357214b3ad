"""Checks the file of a library that goes into the APK.

    elf.py ABI LIBRARY [ALLOWED_SYMBOLS]

The build ends if a phone would refuse the library, or if it must not leave this computer: another machine's
code, segments that a phone with 16 KB pages cannot map, text relocations, an executable stack, a library or (with
a list of `library name` lines) a symbol that phones are not known to have.
"""

import struct
import sys

MACHINES = {"arm64-v8a": (2, 183), "x86_64": (2, 62), "armeabi-v7a": (1, 40)}
PAGE_BYTES = 16 * 1024
PLATFORM = {"libc.so", "libm.so", "libdl.so", "liblog.so"}
LOAD, DYNAMIC, STACK = 1, 2, 0x6474E551
EXECUTABLE = 1
NEEDED, STRTAB, SYMTAB, SONAME, TEXTREL, FLAGS = 1, 5, 6, 14, 22, 30
FLAG_TEXTREL = 4
DYNSYM = 11
WEAK = 2


class Library:
    """One ELF file: its machine, segments, dynamic entries and the symbols that it needs."""

    def __init__(self, data):
        if data[:4] != b"\x7fELF" or data[5] != 1:
            raise ValueError("not a little-endian ELF file")
        self.data, self.width = data, data[4]
        wide = self.width == 2
        (machine,) = struct.unpack_from("<H", data, 18)
        self.machine = (self.width, machine)
        self.segments = [self._segment(at) for at in self._table(*((32, 54) if wide else (28, 42)))]
        self.sections = [self._section(at) for at in self._table(*((40, 58) if wide else (32, 46)))]
        self.dynamic = list(self._dynamic())

    def _table(self, where, sizes):
        (first,) = struct.unpack_from("<Q" if self.width == 2 else "<I", self.data, where)
        size, count = struct.unpack_from("<HH", self.data, sizes)
        return range(first, first + size * count, size) if count else ()

    def _segment(self, at):
        """Returns (kind, flags, offset, address, size in the file, alignment)."""
        if self.width == 2:
            kind, flags, offset, address, _, size, _, align = struct.unpack_from("<IIQQQQQQ", self.data, at)
        else:
            kind, offset, address, _, size, _, flags, align = struct.unpack_from("<IIIIIIII", self.data, at)
        return kind, flags, offset, address, size, align

    def _section(self, at):
        """Returns (kind, offset, size, number of the linked section)."""
        if self.width == 2:
            _, kind, _, _, offset, size, link = struct.unpack_from("<IIQQQQI", self.data, at)
        else:
            _, kind, _, _, offset, size, link = struct.unpack_from("<IIIIIII", self.data, at)
        return kind, offset, size, link

    def _dynamic(self):
        entry = "<QQ" if self.width == 2 else "<II"
        for kind, _, offset, _, size, _ in self.segments:
            if kind == DYNAMIC:
                yield from struct.iter_unpack(entry, self.data[offset : offset + size])

    def _values(self, tag):
        return [value for found, value in self.dynamic if found == tag]

    def _text(self, start):
        return self.data[start : self.data.index(0, start)].decode()

    def _offset(self, address):
        for kind, _, offset, start, size, _ in self.segments:
            if kind == LOAD and start <= address < start + size:
                return offset + address - start
        raise ValueError(f"no segment holds {address:#x}")

    def _names(self, tag):
        strings = self._offset(self._values(STRTAB)[0])
        return [self._text(strings + value) for value in self._values(tag)]

    def needed(self):
        return set(self._names(NEEDED))

    def soname(self):
        return next(iter(self._names(SONAME)), None)

    def has_text_relocations(self):
        return bool(self._values(TEXTREL)) or any(value & FLAG_TEXTREL for value in self._values(FLAGS))

    def has_executable_stack(self):
        return all(not (kind == STACK) for kind, *_ in self.segments) or any(
            kind == STACK and flags & EXECUTABLE for kind, flags, *_ in self.segments
        )

    def wanted(self):
        """Returns the symbols that another library must have."""
        entry, size = ("<IBBHQQ", 24) if self.width == 2 else ("<IIIBBH", 16)
        found = set()
        for kind, offset, length, link in self.sections:
            if kind != DYNSYM:
                continue
            strings = self.sections[link][1]
            for at in range(offset + size, offset + length, size):
                fields = struct.unpack_from(entry, self.data, at)
                name, info, section = (fields[0], fields[1], fields[3]) if size == 24 else (fields[0], fields[3], fields[5])
                if section == 0 and info >> 4 != WEAK:
                    found.add(self._text(strings + name))
        return found


def problems(abi, data, allowed=None):
    """Yields what is wrong with the bytes of a library for `abi`, each as a sentence."""
    library = Library(data)
    if library.machine != MACHINES[abi]:
        yield f"is for another machine than {abi}"
    for kind, _, offset, address, _, align in library.segments:
        if kind == LOAD and (align % PAGE_BYTES or (address - offset) % PAGE_BYTES):
            # A phone with 32-bit code has pages of 4 KB.
            if abi != "armeabi-v7a":
                yield f"has a segment at {address:#x} that cannot be mapped with pages of 16 KB (alignment {align})"
    if library.has_text_relocations():
        yield "changes its own code when it is loaded"
    if library.has_executable_stack():
        yield "needs an executable stack"
    if library.needed() - PLATFORM:
        yield f"needs {', '.join(sorted(library.needed() - PLATFORM))}"
    if allowed is not None and library.wanted() - allowed:
        yield f"needs symbols that API 26 is not known to have: {', '.join(sorted(library.wanted() - allowed))}"


def allowed_symbols(path):
    """Returns the names of a list with a library and a name on each line."""
    with open(path, encoding="utf-8") as file:
        return {line.split()[1] for line in file if line.strip() and not line.startswith("#")}


def main(abi, path, allowed=None):
    with open(path, "rb") as file:
        found = list(problems(abi, file.read(), allowed and allowed_symbols(allowed)))
    for problem in found:
        print(f"{path} {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
