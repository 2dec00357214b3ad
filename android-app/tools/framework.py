"""Writes the public resources of the platform as XML that Debian's aapt2 can compile.

    framework.py FRAMEWORK_JAR VALUES_XML

That aapt2 is too old to read the resource table of a current platform, and an app's manifest, layouts and
themes need its names, ids and formats to compile. They are read here from the table itself: every public
attribute with its format, its enumerated values and flags; of everything else the name and the id, since
the values stay on the phone.
"""

import struct
import sys
import zipfile
from xml.sax.saxutils import quoteattr

from resource_file import chunks, strings

PACKAGE, TYPE, TYPE_SPEC = 0x0200, 0x0201, 0x0202
PUBLIC = 0x40000000
SPARSE, SHORT_OFFSETS = 1, 2
COMPLEX, COMPACT = 1, 8
NO_ENTRY = 0xFFFFFFFF
ATTRIBUTE_FORMAT = 0x01000000
FORMATS = ["reference", "string", "integer", "boolean", "color", "float", "dimension", "fraction"]
ENUM, FLAGS = 1 << 16, 1 << 17

# Placeholders for resources whose value nobody needs here.
VALUES = {
    "array": '<array name={} />',
    "bool": '<bool name={}>false</bool>',
    "color": '<color name={}>#000</color>',
    "dimen": '<dimen name={}>0dp</dimen>',
    "fraction": '<fraction name={}>0%</fraction>',
    "id": '<item type="id" name={} />',
    "integer": '<integer name={}>0</integer>',
    "plurals": '<plurals name={}><item quantity="other">-</item></plurals>',
    "string": '<string name={}>-</string>',
    "style": '<style name={} parent="" />',
}
REFERENCES = ("anim", "animator", "drawable", "interpolator", "layout", "menu", "mipmap", "raw", "transition", "xml")
VALUES.update({kind: f'<item type="{kind}" name={{}}>@null</item>' for kind in REFERENCES})


def entries(data, start, header):
    """Yields (index, position) of the entries of one type in one configuration."""
    flags, count, first = data[start + 9], *struct.unpack_from("<II", data, start + 12)
    offsets = start + header
    for number in range(count):
        if flags & SPARSE:
            index, offset = struct.unpack_from("<HH", data, offsets + 4 * number)
            offset *= 4
        elif flags & SHORT_OFFSETS:
            (offset,) = struct.unpack_from("<H", data, offsets + 2 * number)
            index, offset = number, NO_ENTRY if offset == 0xFFFF else offset * 4
        else:
            index, (offset,) = number, struct.unpack_from("<I", data, offsets + 4 * number)
        if offset != NO_ENTRY:
            yield index, start + first + offset


def entry(data, at):
    """Returns (index of the name, {name's id: value} of a bag or None)."""
    size, flags, key = struct.unpack_from("<HHI", data, at)
    if flags & COMPACT:
        return size, None
    if not flags & COMPLEX:
        return key, None
    (count,) = struct.unpack_from("<I", data, at + 12)
    bag = {}
    for number in range(count):
        name, _, _, _, value = struct.unpack_from("<IHBBI", data, at + size + 12 * number)
        bag[name] = value
    return key, bag


class Package:
    """The names, kinds and bags of one package's resources, by id."""

    def __init__(self, data, start, header, end):
        self.kinds, self.names, self.bags, self.public = {}, {}, {}, set()
        number, types, keys = struct.unpack_from("<I256xI4xI", data, start + 8)
        kinds, names = strings(data, start + types), strings(data, start + keys)
        for kind, at, size, _ in chunks(data, start + header, end):
            first = number << 24 | data[at + 8] << 16
            if kind == TYPE_SPEC:
                (count,) = struct.unpack_from("<I", data, at + 12)
                flags = struct.unpack_from(f"<{count}I", data, at + size)
                self.public.update(first | index for index, flag in enumerate(flags) if flag & PUBLIC)
            elif kind == TYPE:
                for index, position in entries(data, at, size):
                    key, bag = entry(data, position)
                    self.kinds[first | index] = kinds[data[at + 8] - 1]
                    self.names[first | index] = names[key]
                    if bag is not None:
                        self.bags.setdefault(first | index, bag)

    def attribute(self, resource):
        """Returns the XML of an attribute: its format, and the names that it knows for values."""
        bag = self.bags[resource]
        mask = bag.get(ATTRIBUTE_FORMAT, 0xFFFF)
        formats = "|".join(name for bit, name in enumerate(FORMATS) if mask & 1 << bit)
        name = quoteattr(self.names[resource])
        child = "enum" if mask & ENUM else "flag"
        named = [
            f'<{child} name={quoteattr(self.names[key])} value="{value:#x}" />'
            for key, value in bag.items()
            if key in self.names and mask & (ENUM | FLAGS)
        ]
        attributes = f" format={quoteattr(formats)}" if formats else ""
        return f"<attr name={name}{attributes}>{''.join(named)}</attr>"

    def xml(self):
        """Yields the lines of the file, in the order of the ids."""
        for resource in sorted(self.public & self.names.keys()):
            kind, name = self.kinds[resource], quoteattr(self.names[resource])
            if kind == "attr":
                definition = self.attribute(resource)
            elif kind in VALUES:
                definition = VALUES[kind].format(name)
            else:
                continue
            yield f'<public type="{kind}" name={name} id="{resource:#010x}" />'
            yield definition


def package(table):
    """Returns the one package of a resource table."""
    _, header, _ = struct.unpack_from("<HHI", table)
    for kind, start, size, end in chunks(table, header, len(table)):
        if kind == PACKAGE:
            return Package(table, start, size, end)
    raise ValueError("a resource table without a package")


def main(jar, target):
    with zipfile.ZipFile(jar) as archive:
        platform = package(archive.read("resources.arsc"))
    with open(target, "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="utf-8"?>\n<resources>\n')
        file.writelines(f"{line}\n" for line in platform.xml())
        file.write("</resources>\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
