"""Settings of the program: flags, variables and the file, and what it says of them."""

import json
import re
import subprocess
from urllib.parse import unquote

import pytest

from support import databases
from support.hub import Demo, Serve
from support.paths import binary
from support.process import loopback_environment
from support.wait import until

WITHOUT_A_FLAG = ("ROUTE_HUB_DATABASE_PASSWORD", "ROUTE_HUB_NATS_PASSWORD", "ROUTE_HUB_FILES_SECRET_KEY")


def run(*arguments, env=None):
    command = [str(binary("route-hub")), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=loopback_environment(env))


def empty(*command):
    """Returns every variable that a command's help names, and those that none does, without a value."""
    named = re.findall(r"\[env: (ROUTE_HUB_\w+)", run(*command, "--help").stdout)
    assert "ROUTE_HUB_DATABASE" in named, "the help names variables"
    return dict.fromkeys((*named, *WITHOUT_A_FLAG), "")


def test_serve_takes_empty_variables_for_none(admin):
    admin.organization()
    given = empty("serve")
    assert {"ROUTE_HUB_PUBLIC_URL", "ROUTE_HUB_LOG", "ROUTE_HUB_HOSTS", "ROUTE_HUB_DRAIN_S"} <= given.keys()
    server = Serve(admin.folder, env={**given, **databases.environment(admin.folder)}).start()
    said = rf"INFO .*listening.* url=http://127\.0\.0\.1:{server.port}$"
    until(lambda: any(re.search(said, line) for line in server.program.err_lines), "the log has the address")
    assert server.program.stop() == 0


def test_the_demo_takes_empty_variables_for_none(tmp_path):
    demo = Demo(tmp_path, phones=0, env={**empty("demo"), **databases.environment(tmp_path / "demo")})
    assert not [line for line in demo.program.err_lines if " INFO " in line], "the demo logs warnings alone"
    assert demo.program.stop() == 0


@pytest.mark.parametrize("command", (["migrate"], ["admin", "alerts"]), ids=" ".join)
def test_a_command_beside_a_hub_takes_empty_variables_for_none(admin, command):
    admin.organization()
    given = {**empty(*command), **databases.environment(admin.folder)}
    done = run(*command, "--dir", admin.folder, env=given)
    assert done.returncode == 0, done.stderr


def test_an_invitation_has_the_address_that_the_hub_knows_where_its_variable_is_empty(hub):
    command = ("admin", "pair", "--project", hub.projects["first"], "--no-wait", "--dir", hub.admin.folder, "--json")
    given = {**databases.environment(hub.admin.folder), "ROUTE_HUB_PUBLIC_URL": ""}
    done = run(*command, env=given)
    assert done.returncode == 0, done.stderr
    assert f"127.0.0.1:{hub.server.port}" in unquote(json.loads(done.stdout)["uri"])


# Two values for each kind that the help names. A new kind needs its own here.
SAMPLES = {
    "ADDR:PORT": ("127.0.0.1:1", "127.0.0.1:2"),
    "BOOL": ("true", "false"),
    "CIDR": ("10.1.0.0/16", "10.2.0.0/16"),
    "DIR": ("one", "two"),
    "DIR|URL": ("one", "two"),
    "FILE": ("one.pem", "two.pem"),
    "FILTER": ("warn", "debug"),
    "KEY": ("one", "two"),
    "MAIL": ("one@example.org", "two@example.org"),
    "N": ("1", "2"),
    "NAME": ("one.example", "two.example"),
    "SECONDS": ("1", "2"),
    "SHA256": ("ab" * 32, "cd" * 32),
    "URL": ("https://one.example", "https://two.example"),
}


def settings(*arguments, env=None):
    done = run("settings", "--json", *arguments, env=env)
    assert done.returncode == 0, done.stderr
    return {setting["name"]: setting for setting in json.loads(done.stdout)}


@pytest.fixture(scope="module")
def known():
    """Each setting as it is without a word, with two samples of its values."""
    takes = dict(re.findall(r"--([a-z0-9-]+)[ =\[]*<([^>]+)>", run("settings", "--help").stdout))
    found = settings()
    assert {"listen", "host", "database", "nats_ca", "files", "log_json"} <= found.keys()
    for setting in found.values():
        setting["takes"] = takes[setting["flag"].removeprefix("--")]
        setting["samples"] = SAMPLES[setting["takes"]]
        assert setting["from"] == "default", setting
    for name, given in settings(*flags(found)).items():
        found[name]["is_list"] = isinstance(given["value"], list)
    return found


def shown(setting, which=0):
    """How a sample of a setting's values is shown."""
    value = setting["samples"][which]
    if setting["is_list"]:
        return [value]
    return {"BOOL": value == "true", "KEY": "***"}.get(setting["takes"], int(value) if value.isdigit() else value)


def flags(known, which=0):
    return [f"{setting['flag']}={setting['samples'][which]}" for setting in known.values()]


def variables(known, which=0):
    return {setting["variable"]: setting["samples"][which] for setting in known.values()}


def in_toml(setting, which=0):
    value = setting["samples"][which]
    text = value if setting["takes"] in ("BOOL", "N", "SECONDS") else json.dumps(value)
    return f"[{text}]" if setting["is_list"] else text


def flat(spell):
    def write(known, which=0):
        return "".join(f"{spell(setting)} = {in_toml(setting, which)}\n" for setting in known.values())

    return write


def in_tables(known, which=0):
    """Each setting in the table of its first word, where others have that word, too."""
    heads, tables = "", {}
    for name, setting in known.items():
        table, _, key = name.partition("_")
        if not key and any(other.startswith(f"{table}_") for other in known):
            key = "at" if name == "files" else setting["takes"].lower()
        if key:
            tables.setdefault(table, []).append(f"{key} = {in_toml(setting, which)}")
        else:
            heads += f"{name} = {in_toml(setting, which)}\n"
    return heads + "".join(f"[{table}]\n" + "\n".join(keys) + "\n" for table, keys in tables.items())


WAYS = {
    "flags' names": flat(lambda setting: setting["flag"].removeprefix("--")),
    "underscores": flat(lambda setting: setting["name"]),
    "variables' names": flat(lambda setting: setting["variable"].removeprefix("ROUTE_HUB_").lower()),
    "tables": in_tables,
}


def config(folder, text):
    path = folder / "hub.toml"
    path.write_text(text)
    return path


def test_a_flag_wins_over_a_variable_and_a_variable_over_the_file(known, tmp_path):
    path = config(tmp_path, WAYS["underscores"](known, 1))
    by_flag = settings("--config", path, *flags(known), env=variables(known, 1))
    by_variable = settings("--config", path, env=variables(known))
    for name, setting in known.items():
        assert (by_flag[name]["value"], by_flag[name]["from"]) == (shown(setting), "flag")
        assert (by_variable[name]["value"], by_variable[name]["from"]) == (shown(setting), "variable")


@pytest.mark.parametrize("way", WAYS)
def test_the_file_takes_every_setting(known, tmp_path, way):
    path = config(tmp_path, WAYS[way](known))
    found = settings(env={"ROUTE_HUB_CONFIG": str(path), **dict.fromkeys(variables(known), "")})
    lines = path.read_text().splitlines()
    for name, setting in known.items():
        assert (found[name]["value"], found[name]["from"]) == (shown(setting), "file"), name
        assert found[name]["file"] == str(path)
        assert in_toml(setting) in lines[found[name]["line"] - 1], name


def test_settings_are_printed_for_people_and_without_secrets(tmp_path):
    path = config(tmp_path, 'listen = "127.0.0.1:1"\n[nats]\nurl = "nats://hunter2@nats"\n')
    secret = {"ROUTE_HUB_DATABASE": "postgres://me:hunter2@db/hub?password=hunter2", "ROUTE_HUB_FILES_ACCESS_KEY": "hunter2"}
    env = {**secret, **dict.fromkeys(WITHOUT_A_FLAG, "hunter2")}
    for form in ((), ("--json",)):
        done = run("settings", "--config", path, *form, env=env)
        assert done.returncode == 0 and "hunter2" not in done.stdout + done.stderr, done
    lines = run("settings", "--config", path, env=env).stdout.splitlines()
    assert [line.split(None, 2) for line in lines if line.startswith(("listen", "database ", "nats "))] == [
        ["database", "postgres://***@db/hub?***", "ROUTE_HUB_DATABASE"],
        ["listen", "127.0.0.1:1", f"{path}, line 1"],
        ["nats", "nats://***@nats", f"{path}, line 3"],
    ]


COMMANDS = (
    ["serve"],
    ["settings"],
    ["doctor", "--ready"],
    ["migrate"],
    ["backup", "--to", "none"],
    ["restore", "--from", "none"],
    ["restored"],
    ["admin", "alerts"],
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_refuses_a_file_with_what_is_no_setting(tmp_path, command):
    path = config(tmp_path, f'dir = "{tmp_path / "none"}"\n\n[database]\nurll = "hunter2"\n')
    done = run(*command, "--config", path)
    assert done.returncode == 1 and f"{path}: line 4: `database.urll` is no setting" in done.stderr, done
    assert "hunter2" not in done.stderr and not (tmp_path / "none").exists()


def test_commands_beside_a_hub_read_its_file(tmp_path):
    folder = tmp_path / "data"
    made = databases.environment(folder)
    text = f'dir = "{folder}"\npublic_url = "https://hub.example"\nlisten = "not looked at"\n'
    if made:
        text += f'[database]\nurl = "{made["ROUTE_HUB_DATABASE"]}"\n'
    path = config(tmp_path, text)

    def works(*command):
        done = run(*command, "--config", path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    works("migrate")
    organization = json.loads(works("admin", "organization", "create", "--name", "Org", "--json"))["id"]
    project = json.loads(works("admin", "project", "create", "--organization", organization, "--name", "P", "--json"))["id"]
    invitation = json.loads(works("admin", "pair", "--project", project, "--no-wait", "--json"))
    assert "https://hub.example" in unquote(invitation["uri"])
    done = run("serve", "--config", path)
    assert "line 3: `listen` must be an address and a port" in done.stderr, done
    if made:
        for command in (["backup", "--to", tmp_path], ["restore", "--from", tmp_path]):
            assert "pg_dump" in run(*command, "--config", path).stderr
        assert json.loads(works("restored", "--json"))["generation"] == 2
    else:
        works("backup", "--to", tmp_path)
        [copy] = tmp_path.glob("hub-*.db")
        works("restore", "--from", copy, "--replace")
        assert "--database names" in run("restored", "--config", path).stderr


REFUSED = {
    "--listen here": "must be an address and a port, such as 127.0.0.1:8090",
    "--operator-listen none": "must be off, or an address and a port",
    "--dns-server 1.1.1.1": "must be an address and a port",
    "--drain-s soon": "must be a whole number, 0 or more",
    "--project-connections 0": "must be a whole number, 1 or more",
    "--process 240": "must be a whole number from 0 to 239",
    "--public-url hub.example": "must be an address such as https://",
    "--public-url=": "must be an address such as https://",
    "--files-region=": "--files-region is empty",
    "--host=a,,b": "--host is empty",
    "--files gs://bucket": "must be a folder, or a bucket: s3://",
    "--files-endpoint minio": "must be an address such as https://",
    "--log route_hub=loud": "must be levels, such as info",
    "--trusted-proxy 10.0.0.0/99": "nor a network such as 10.1.0.0/16",
    "--webhook-allow 10.0.0.0/99": "nor a network such as 10.0.0.0/8",
    "--app-certificate abc": "64 hexadecimal digits",
    "--allow-plain-http=perhaps": "[possible values: true, false]",
    "--database mysql://db/hub": "must be a URL such as postgres://USER@HOST:PORT/NAME",
    "--database postgres://db/hub --nats redis://nats": "it is nats://USER@HOST:PORT",
    "--tls-cert c.pem": "--tls-cert needs --tls-key beside it",
}


@pytest.mark.parametrize("line", REFUSED)
def test_who_is_refused_is_told_what_is_allowed(tmp_path, line):
    own = [flag for flag in ("--listen=127.0.0.1:0", "--operator-listen=off") if flag.split("=")[0] not in line.split()]
    done = run("serve", "--dir", tmp_path, *own, *line.split())
    said = "\n".join(line for line in done.stderr.splitlines() if " INFO " not in line)
    assert done.returncode != 0 and REFUSED[line] in said, done
    for ours in ("invalid digit", "invalid socket", "ParseIntError", "InvalidAllowed", "hub_", "::"):
        assert ours not in said, done


@pytest.mark.parametrize(
    ("line", "names"),
    (
        ("--limit nope=1", "--limit names one of: contacts, phones"),
        ("--feature nope=true", "--feature names one of: "),
        ("--overage-rate nope=1", "--overage-rate names one of: "),
        ("--limit contacts=many", "must be a whole number or none"),
        ("--start-time soon", "must be a UNIX timestamp in seconds"),
    ),
)
def test_a_plan_that_is_refused_names_what_there_is(admin, line, names):
    done = admin("organization", "set-plan", admin.organization(), *line.split(), check=False)
    assert done.returncode == 1 and names in done.stderr, done


def test_a_move_is_between_folders_and_postgresql(tmp_path):
    done = run("migrate", "--from", tmp_path, "--to", "mysql://db/hub")
    assert "--to must be a data folder, or a URL such as postgres://" in done.stderr, done


def test_settings_that_do_not_go_together_are_named_where_they_stand(tmp_path):
    path = config(tmp_path, f'dir = "{tmp_path}"\n\n[tls]\ncert = "c.pem"\n')
    done = run("serve", "--config", path)
    assert f"--tls-cert needs --tls-key beside it (--tls-cert is in {path}, line 4)" in done.stderr, done
    done = run("serve", "--dir", tmp_path, env={"ROUTE_HUB_TLS_KEY": "k.pem"})
    assert "(--tls-key is the variable ROUTE_HUB_TLS_KEY)" in done.stderr, done


def commands(*path):
    """Returns the help of a command and of all below it."""
    text = run(*path, "--help").stdout
    yield text
    below = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.M)
    for name in re.findall(r"^  ([a-z-]+)", below[1] if below else "", re.M):
        if name != "help":
            yield from commands(*path, name)


def test_a_command_lists_its_own_flags_first():
    for text in commands():
        own, _, common = text.partition("\nCommon options:\n")
        ours = re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", own, re.M)
        shared = [flag for flag in ours if flag.startswith("--database") or flag in ("--config", "--dir")]
        assert "Keep data, key and phones" in text or not shared, f"{shared} in\n{text}"
        assert "--help" not in common


def test_the_help_names_a_variable_that_is_empty():
    assert "[env: ROUTE_HUB_LISTEN=]" in run("serve", "--help", env={"ROUTE_HUB_LISTEN": ""}).stdout
