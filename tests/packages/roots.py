"""A system in a folder, in which packages are installed and run: the machine's own is never touched."""

import shutil
import subprocess

from support.process import Program, loopback_environment

PACKAGES = "adduser,ca-certificates,init-system-helpers,libc6,libgcc-s1,passwd"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Root:
    """Debian without anything that the package does not ask for."""

    def __init__(self, folder):
        self.folder = folder
        release = subprocess.run(["sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME"], capture_output=True, text=True, check=True)
        command = ["mmdebstrap", "--quiet", "--variant=essential", f"--include={PACKAGES}", release.stdout.strip(), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr

    def command(self, *words, user=None):
        """Returns what runs a command in this root, in a namespace of mounts that has /proc there."""
        inside = ["chroot", *([f"--userspec={user}:{user}"] if user else []), str(self.folder), *map(str, words)]
        return ["unshare", "--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec "$@"', str(self.folder), *inside]

    def run(self, *words, user=None, check=True):
        """Runs a command to its end."""
        env = loopback_environment({"PATH": PATH, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"})
        done = subprocess.run(self.command(*words, user=user), capture_output=True, text=True, timeout=300, env=env)
        assert not check or done.returncode == 0, f"{words} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return done

    def start(self, *words, user):
        """Starts a program that goes on running."""
        return Program(self.command(*words, user=user), env={"PATH": PATH}, name=str(words[0]))

    def at(self, path):
        """Returns where a file of this root is."""
        return self.folder / path.lstrip("/")

    def dpkg(self, verb, *what):
        """Runs dpkg, and returns what it and the package's scripts said."""
        names = [self.bring(path) if hasattr(path, "name") else path for path in what]
        return self.run("dpkg", verb, *names).stdout

    def bring(self, path):
        """Copies a file into this root, and returns its path there."""
        shutil.copy(path, self.at("/tmp"))
        return f"/tmp/{path.name}"
