"""The platform's public resources, read from its own table, equal those of its own classes."""

import re
from xml.etree import ElementTree

import pytest

from android.tools import APP, jar, made, run


@pytest.fixture(scope="module")
def resources():
    return ElementTree.parse(made("framework/res/values/values.xml")).getroot()


@pytest.mark.parametrize("kind", ["attr", "style", "color", "string", "id"])
def test_names_and_ids_are_those_of_the_platforms_classes(resources, kind):
    version = re.search("<framework.version>(.*)</", (APP / "pom.xml").read_text()).group(1)
    framework = jar("org.robolectric", "android-all", version)
    fields = run("javap", "-constants", "-cp", framework, f"android.R${kind}").stdout
    # A field's name has `_` where the resource's has a dot.
    wanted = {name: int(value) for name, value in re.findall(r"int (\w+) = (-?\d+);", fields)}
    found = {
        element.get("name").replace(".", "_"): int(element.get("id"), 16)
        for element in resources.iter("public")
        if element.get("type") == kind
    }
    assert wanted
    assert {name: found.get(name) for name in wanted} == wanted


def test_an_attribute_knows_its_format_and_its_words(resources):
    (service,) = [element for element in resources.iter("attr") if element.get("name") == "foregroundServiceType"]
    flags = {flag.get("name"): int(flag.get("value"), 16) for flag in service.iter("flag")}
    assert flags["remoteMessaging"] == 0x200
    (width,) = [element for element in resources.iter("attr") if element.get("name") == "layout_width"]
    assert width.get("format") == "dimension"
    assert {enum.get("name"): int(enum.get("value"), 16) for enum in width.iter("enum")}["wrap_content"] == 0xFFFFFFFE
