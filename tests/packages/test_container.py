"""What the container holds runs alone: as its user, on a root that nobody can write, with its data on a volume."""

import gzip
import json
import re
import shutil
import subprocess
import tarfile

import pytest

from packages.dist import DIST, built
from support.ports import free_port
from support.process import Program, loopback_environment
from support.rest import Rest
from support.wait import until

ARCHS = [arch for arch in ("amd64", "arm64") if built(f"container-{arch}.tar.gz")]
EMULATOR = "qemu-aarch64-static"
CONTAINERFILE = DIST / "Containerfile"


def said(word):
    """Returns what the Containerfile says after a word: a list if it is one."""
    text = re.search(rf"^{word} (?:--\S+ )*(?:CMD )?(.*)$", CONTAINERFILE.read_text(), re.MULTILINE)[1]
    return json.loads(text) if text.startswith("[") else text


class Container:
    """The root and the volume of a container, entered as an engine would."""

    def __init__(self, arch, folder):
        self.root, self.volume = folder / "root", folder / "volume"
        self.emulator = []
        with tarfile.open(built(f"container-{arch}.tar.gz")) as archive:
            archive.extractall(self.root, filter="fully_trusted")
        if arch == "arm64":
            shutil.copy(shutil.which(EMULATOR), self.root)
            self.emulator = [f"/{EMULATOR}"]
        # An engine gives a new volume the owner and the rights of the image's folder.
        shutil.copytree(self.root / said("VOLUME").lstrip("/"), self.volume)
        uid, gid = (int(number) for number in said("USER").split(":"))
        shutil.chown(self.volume, uid, gid)
        self.volume.chmod(0o700)
        self.user = f"{uid}:{gid}"

    def command(self, *words):
        """Returns what runs a command in the container: with a root that is read only, and no way to other users."""
        mounted = f'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && mount --bind "{self.volume}" "$0{said("VOLUME")}"'
        inside = ["setpriv", "--no-new-privs", "chroot", f"--userspec={self.user}", str(self.root), *self.emulator, *words]
        return ["unshare", "--mount", "sh", "-c", f'{mounted} && exec "$@"', str(self.root), *inside]

    def environment(self, **more):
        return loopback_environment({**dict(part.split("=", 1) for part in said("ENV").split()), **more})

    def run(self, *words, **more):
        return subprocess.run(self.command(*words), capture_output=True, text=True, timeout=300, env=self.environment(**more))


@pytest.fixture(scope="module", params=ARCHS)
def container(request, tmp_path_factory):
    if request.param == "arm64" and not shutil.which(EMULATOR):
        pytest.skip(f"there is no {EMULATOR} here")
    return Container(request.param, tmp_path_factory.mktemp("container"))


@pytest.mark.skipif(not ARCHS, reason="scripts/package has built no container")
def test_it_refuses_an_empty_volume_and_makes_a_database_when_told(container):
    program, port = said("ENTRYPOINT"), free_port()
    refused = container.run(*program, *said("CMD"), ROUTE_HUB_LISTEN=f"127.0.0.1:{port}")
    assert refused.returncode == 1 and "--create" in refused.stderr, refused.stderr
    assert not (container.volume / "hub.db").exists()
    made = container.run(*program, "migrate")
    assert made.returncode == 0, made.stderr
    assert (container.volume / "hub.db").stat().st_uid == int(container.user.split(":")[0])


@pytest.mark.skipif(not ARCHS, reason="scripts/package has built no container")
def test_it_sends_and_its_engine_sees_that_it_is_well(container):
    (program,), port = said("ENTRYPOINT"), free_port()

    def admin(*words):
        done = container.run(program, "admin", *words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    project = admin("project", "create", "--organization", admin("organization", "create", "--name", "Clinic")["id"], "--name", "R")["id"]
    admin("phone", "add-test", "--project", project)
    key = admin("key", "create", "--project", project, "--permission", "send_messages", "--permission", "view_messages")
    hub_root = f"https://127.0.0.1:{port}"
    settings = {
        "ROUTE_HUB_LISTEN": f"127.0.0.1:{port}",
        "ROUTE_HUB_OPERATOR_LISTEN": "off",
        "ROUTE_HUB_PUBLIC_URL": hub_root,
        "ROUTE_HUB_TLS_SELF_SIGNED": "true",
    }
    hub = Program(container.command(program, *said("CMD")), env=container.environment(**settings), name="container")
    try:
        until(lambda: not hub.alive() or container.run(*said("HEALTHCHECK"), **settings).returncode == 0, "it is healthy", 120)
        assert hub.alive(), hub.words()
        rest = Rest(f"{hub_root}/v1", key.get("api_key") or key["key"], project)
        rest.session.verify = str(container.volume / "tls/self-signed.pem")
        rest.wait_status(rest.send("+15005550012")["id"], "delivered", patience_s=60)
        page = rest.session.get(f"{hub_root}/docs/redoc.js", timeout=60)
        assert page.status_code == 200, "the page of /docs is in it"
    finally:
        assert hub.stop(patience_s=60) == 0, hub.words()
    assert container.run(*said("HEALTHCHECK"), **settings).returncode == 1


@pytest.mark.skipif(not ARCHS, reason="scripts/package has built no container")
def test_https_webhooks_find_their_authorities(container):
    certificates = (container.root / "etc/ssl/certs/ca-certificates.crt").read_text()
    assert certificates.count("BEGIN CERTIFICATE") > 50


@pytest.mark.skipif(not ARCHS, reason="scripts/package has built no container")
def test_it_holds_the_licences_of_what_comes_from_elsewhere(container):
    text = (container.root / "usr/share/doc/route-hub/copyright").read_text()
    for name in ("Postrider", "rusqlite", "redoc", "Rust's standard library", "libc6", "libgcc-s1", "ca-certificates"):
        assert f"\n{name}" in f"\n{text}", name


@pytest.mark.parametrize("arch", ARCHS)
def test_its_archive_has_no_time_and_owner_of_the_machine_that_made_it(arch):
    with gzip.open(built(f"container-{arch}.tar.gz")) as plain, tarfile.open(fileobj=plain) as archive:
        members = archive.getmembers()
    assert len({member.mtime for member in members}) == 1
    owners = {member.name.rstrip("/"): (member.uid, member.gid, member.mode) for member in members}
    uid, gid = (int(number) for number in said("USER").split(":"))
    for folder in (said("VOLUME").lstrip("/"), "var/backups/route-hub"):
        assert owners.pop(folder) == (uid, gid, 0o700)
    assert {(user, group) for user, group, _ in owners.values()} == {(0, 0)}
