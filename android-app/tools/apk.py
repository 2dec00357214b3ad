"""Packs an APK, and reads it back.

    apk.py pack APK RESOURCES_APK CLASSES_DEX LIBRARIES     the same input gives the same bytes
    apk.py with-debug MANIFEST DEBUG_MANIFEST OUT           the manifest of a build for emulator tests
    apk.py with-host MANIFEST HOST OUT                      …of a build that opens a hub's page by itself
    apk.py expect-host EXPECTED HOST OUT                    EXPECTED with what that build adds
    apk.py read APK                                         prints the contents, one line each
    apk.py check APK EXPECTED [ABI…] [-- FORBIDDEN…]        fails unless the contents are exactly EXPECTED
    apk.py sizes APK                                        prints the sizes of the parts

EXPECTED has the lines of `read`; comments and empty lines do not count. FORBIDDEN are words that no file in
the APK may hold: the folders of this computer, and the names of planted mistakes.
"""

import pathlib
import struct
import sys
import zipfile
from xml.etree import ElementTree

import binary_xml

SIZE_MAX_BYTES = 8 * 1024 * 1024
ANDROID = "http://schemas.android.com/apk/res/android"
COMPONENTS = ("activity", "activity-alias", "service", "receiver", "provider")
# The screens' tests check how things look.
LOOKS = {"label", "icon", "roundIcon", "theme", "logo", "banner", "description"}
# Kinds in the map of a dex file that only an invokedynamic needs.
CALL_SITES = 0x0007


def pack(target, resources, dex, libraries):
    """Joins resources, code and lib/ABI/*.so; times and order are fixed."""
    with zipfile.ZipFile(target, "w") as out, zipfile.ZipFile(resources) as compiled:
        for name in sorted(compiled.namelist()):
            # The platform maps the table as it is.
            stored = name == "resources.arsc"
            _add(out, name, compiled.read(name), zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
        _add(out, "classes.dex", pathlib.Path(dex).read_bytes())
        for path in sorted(pathlib.Path(libraries).glob("*/*.so")):
            _add(out, f"lib/{path.parent.name}/{path.name}", path.read_bytes())


def _add(out, name, data, method=zipfile.ZIP_DEFLATED):
    info = zipfile.ZipInfo(name)
    info.compress_type = method
    out.writestr(info, data, compresslevel=9)


def with_debug(manifest, debug, target):
    """Writes the manifest with the components of the debug one, open to a debugger."""
    ElementTree.register_namespace("android", ANDROID)
    tree = ElementTree.parse(manifest)
    application = tree.getroot().find("application")
    application.set(f"{{{ANDROID}}}debuggable", "true")
    application.extend(ElementTree.parse(debug).getroot().find("application"))
    tree.write(target, encoding="utf-8", xml_declaration=True)


# The screen that takes a hub's links, as the manifest and EXPECTED name it.
LINKED = ".screens.PairActivity"


def with_host(manifest, host, target):
    """Writes the manifest with a filter for the page of one hub, which the platform verifies there."""
    ElementTree.register_namespace("android", ANDROID)
    tree = ElementTree.parse(manifest)
    screens = tree.getroot().find("application").iter("activity")
    screen = next(each for each in screens if each.get(f"{{{ANDROID}}}name") == LINKED)
    link = ElementTree.SubElement(screen, "intent-filter", {f"{{{ANDROID}}}autoVerify": "true"})
    name = f"{{{ANDROID}}}name"
    ElementTree.SubElement(link, "action", {name: "android.intent.action.VIEW"})
    for category in ("DEFAULT", "BROWSABLE"):
        ElementTree.SubElement(link, "category", {name: f"android.intent.category.{category}"})
    data = {"scheme": "https", "host": host, "path": "/pair"}
    ElementTree.SubElement(link, "data", {f"{{{ANDROID}}}{key}": value for key, value in data.items()})
    tree.write(target, encoding="utf-8", xml_declaration=True)


def expect_host(wanted, host, target):
    """Writes the expected contents of an APK whose manifest has the filter of [with_host]."""
    lines = pathlib.Path(wanted).read_text(encoding="utf-8").splitlines()
    at = next(place for place, line in enumerate(lines) if line.startswith(f"activity {LINKED} "))
    lines[at + 1 : at + 1] = [
        "  intent-filter autoVerify=true",
        "    action android.intent.action.VIEW",
        "    category android.intent.category.DEFAULT",
        "    category android.intent.category.BROWSABLE",
        f"    data host={host} path=/pair scheme=https",
    ]
    pathlib.Path(target).write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(apk):
    """Yields the contents of the APK, one line each."""
    with zipfile.ZipFile(apk) as archive:
        manifest = binary_xml.parse(archive.read("AndroidManifest.xml"))
        yield from _manifest(manifest)
        for name in archive.namelist():
            if name.endswith(".dex"):
                yield from _dex(name, archive.read(name))
        for name in sorted(archive.namelist()):
            if name.startswith("lib/"):
                yield f"library {' '.join(name.split('/')[1:])}"


def _manifest(manifest):
    sdk = manifest.one("uses-sdk").attributes
    yield f"package {manifest.attributes['package']}"
    yield f"min-sdk {sdk['minSdkVersion']}"
    yield f"target-sdk {sdk['targetSdkVersion']}"
    for element in manifest.children:
        if element.name not in ("uses-sdk", "application"):
            yield _line(element)
    application = manifest.one("application")
    yield _line(application)
    for element in application.children:
        yield _line(element)
        for child in element.children:
            yield f"  {_line(child)}"
            for part in child.children:
                yield f"    {_line(part)}"


def _line(element):
    attributes = {key: value for key, value in element.attributes.items() if key not in LOOKS}
    name = attributes.pop("name", "")
    rest = (f"{key}={value}" for key, value in sorted(attributes.items()))
    return " ".join(filter(None, [element.name, name, *rest]))


def _dex(name, data):
    (at,) = struct.unpack_from("<I", data, 52)
    (count,) = struct.unpack_from("<I", data, at)
    kinds = {struct.unpack_from("<H", data, at + 4 + 12 * number)[0] for number in range(count)}
    yield f"code {name}"
    if CALL_SITES in kinds:
        yield f"{name} has an invokedynamic"
    if b"Lorg/postrider/agent/debug/" in data:
        yield f"{name} has the emulator's interface"


def expected(path, abis):
    """Returns the lines of the file, with `ABI` replaced by each of `abis`."""
    lines = []
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].rstrip()
        lines += [line.replace("ABI", abi) for abi in abis] if "ABI" in line.split() else [line]
    return [line for line in lines if line]


def problems(apk, wanted, forbidden):
    """Yields what differs from the wanted lines, names what is forbidden, or is too large."""
    found = list(read(apk))
    yield from (f"missing: {line}" for line in _beyond(wanted, found))
    yield from (f"not expected: {line}" for line in _beyond(found, wanted))
    with zipfile.ZipFile(apk) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            yield from (f"{name} names {word}" for word in forbidden if word.encode() in data)
    size = pathlib.Path(apk).stat().st_size
    if size > SIZE_MAX_BYTES:
        yield f"{size} bytes are more than {SIZE_MAX_BYTES}"


def _beyond(lines, others):
    """Returns the lines that are not among the others, counting repeats, each below its parent line."""
    left = _placed(others)
    beyond = []
    for line in _placed(lines):
        if line in left:
            left.remove(line)
        else:
            beyond.append(" / ".join(line))
    return beyond


def _placed(lines):
    """Pairs each line with the lines that it is indented under."""
    placed, above = [], []
    for line in lines:
        depth = (len(line) - len(line.lstrip())) // 2
        above = above[:depth] + [line.strip()]
        placed.append(tuple(above))
    return placed


def sizes(apk):
    """Yields (bytes in the APK, bytes unpacked, what) for each part, the largest first, then the whole."""
    parts = {}
    with zipfile.ZipFile(apk) as archive:
        for info in archive.infolist():
            part = info.filename if info.filename.startswith(("lib/", "classes")) else "resources"
            packed, unpacked = parts.get(part, (0, 0))
            parts[part] = packed + info.compress_size, unpacked + info.file_size
    whole = pathlib.Path(apk).stat().st_size
    parts["signature and directory"] = (whole - sum(packed for packed, _ in parts.values()),) * 2
    for part, (packed, unpacked) in sorted(parts.items(), key=lambda item: -item[1][0]):
        yield packed, unpacked, part
    yield whole, sum(unpacked for _, unpacked in parts.values()), "the APK"


def main(command, *arguments):
    if command == "pack":
        pack(*arguments)
    elif command == "with-debug":
        with_debug(*arguments)
    elif command == "with-host":
        with_host(*arguments)
    elif command == "expect-host":
        expect_host(*arguments)
    elif command == "read":
        print(*read(*arguments), sep="\n")
    elif command == "sizes":
        for packed, unpacked, part in sizes(*arguments):
            print(f"{packed:>10,} bytes ({unpacked:>10,} unpacked)  {part}")
    elif command == "check":
        apk, wanted, *rest = arguments
        split = rest.index("--") if "--" in rest else len(rest)
        found = list(problems(apk, expected(wanted, rest[:split]), rest[split + 1 :]))
        print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
        return 1 if found else 0
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
