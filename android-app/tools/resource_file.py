"""The format of compiled resources: chunks that hold chunks, and pools of strings."""

import struct

STRING_POOL = 0x0001
UTF8 = 1 << 8


def chunks(data, start, end):
    """Yields (kind, start, size of the header, end) of the chunks that follow each other."""
    while start < end:
        kind, header, size = struct.unpack_from("<HHI", data, start)
        yield kind, start, header, start + size
        start += size


def strings(data, start):
    """Returns the texts of the string pool that begins at this position."""
    count, _, flags, texts, _ = struct.unpack_from("<IIIII", data, start + 8)
    offsets = struct.unpack_from(f"<{count}I", data, start + 28)
    read = _utf8 if flags & UTF8 else _utf16
    return [read(data, start + texts + offset) for offset in offsets]


def _utf8(data, at):
    at += 2 if data[at] & 0x80 else 1
    size = data[at]
    if size & 0x80:
        size = (size & 0x7F) << 8 | data[at + 1]
        at += 1
    return data[at + 1 : at + 1 + size].decode("utf-8", "replace")


def _utf16(data, at):
    (size,) = struct.unpack_from("<H", data, at)
    if size & 0x8000:
        size = (size & 0x7FFF) << 16 | struct.unpack_from("<H", data, at + 2)[0]
        at += 2
    return data[at + 2 : at + 2 + 2 * size].decode("utf-16-le", "replace")
