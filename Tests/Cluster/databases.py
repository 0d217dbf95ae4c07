"""Network namespaces, and PostgreSQL servers under Patroni and etcd with a proxy and a pool of connections in front."""

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

BRIDGE = "mwcluster"
# The documentation's addresses for tests: RFC 5737.
GATEWAY = "198.51.100.1"
NODES = {"one": "198.51.100.11", "two": "198.51.100.12"}
HAPROXY_PORT = 5500
POOL_PORT = 6432
PASSWORD = "secret"


def run(*command, check=True, **options):
    return subprocess.run(command, check=check, text=True, capture_output=True, **options).stdout


def send(process, number):
    """Sends a signal to a process, which may have ended."""
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


class Network:
    """A bridge with a namespace for each server."""

    def __init__(self, addresses):
        self.addresses = addresses

    def __enter__(self):
        self.remove()
        run("ip", "link", "add", BRIDGE, "type", "bridge")
        run("ip", "address", "add", f"{GATEWAY}/24", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
        for name, address in self.addresses.items():
            run("ip", "netns", "add", self.namespace(name))
            run("ip", "link", "add", f"mw{name}", "type", "veth", "peer", "name", "eth0", "netns", self.namespace(name))
            run("ip", "link", "set", f"mw{name}", "master", BRIDGE, "up")
            for command in [["address", "add", f"{address}/24", "dev", "eth0"], ["link", "set", "eth0", "up"], ["link", "set", "lo", "up"]]:
                run("ip", "-netns", self.namespace(name), *command)
        return self

    def __exit__(self, *error):
        self.remove()

    @staticmethod
    def namespace(name):
        return f"mw-{name}"

    def remove(self):
        for name in self.addresses:
            run("ip", "netns", "delete", self.namespace(name), check=False)
            run("ip", "link", "delete", f"mw{name}", check=False)
        run("ip", "link", "delete", BRIDGE, check=False)

    def cut(self, name, is_cut):
        run("ip", "link", "set", f"mw{name}", "down" if is_cut else "up")


class Cluster:
    """The servers and their managers."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = {}
        self.programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))

    def start(self, name, *command, user=None):
        if user:
            command = ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command)
        log = open(self.folder / f"{name}.log", "a")
        self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder, start_new_session=True)

    def begin(self, web):
        """Starts everything; `web` is the configuration of a proxy for web servers."""
        self.start("etcd", "etcd", "--data-dir", str(self.folder / "etcd"), "--enable-v2=true", "--listen-client-urls", f"http://{GATEWAY}:2379",
                   "--advertise-client-urls", f"http://{GATEWAY}:2379", "--listen-peer-urls", f"http://{GATEWAY}:2380")
        for name in NODES:
            self.patroni(name)
        (self.folder / "haproxy.cfg").write_text(f"""
global
    maxconn 2000
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    option clitcpka
    option srvtcpka
listen primary
    bind {GATEWAY}:{HAPROXY_PORT}
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
""" + "".join(f"    server {name} {address}:5432 check port 8008\n" for name, address in NODES.items()) + web)
        self.proxy()
        self.pool()
        self.wait(60, lambda: self.primary() and self.standby(), "the servers don't start")

    def proxy(self):
        self.start("haproxy", "haproxy", "-f", str(self.folder / "haproxy.cfg"))

    def pool(self):
        """PgBouncer 1.18 gives each program a connection for as long as it stays: it knows no prepared statements otherwise."""
        (self.folder / "users.txt").write_text(f'"postgres" "{PASSWORD}"\n')
        (self.folder / "pgbouncer.ini").write_text(f"""
[databases]
* = host={GATEWAY} port={HAPROXY_PORT}
[pgbouncer]
listen_addr = {GATEWAY}
listen_port = {POOL_PORT}
auth_type = scram-sha-256
auth_file = {self.folder / "users.txt"}
pool_mode = session
default_pool_size = 100
max_client_conn = 300
server_reset_query = DISCARD ALL
server_login_retry = 1
ignore_startup_parameters = extra_float_digits,options
""")
        self.start("pgbouncer", "pgbouncer", str(self.folder / "pgbouncer.ini"), user="postgres")

    def patroni(self, name):
        data = self.folder / name
        data.mkdir(exist_ok=True)
        data.chmod(0o700)
        shutil.chown(data, "postgres", "postgres")
        settings = {
            "scope": "meanwhile", "name": name,
            "restapi": {"listen": f"{NODES[name]}:8008", "connect_address": f"{NODES[name]}:8008"},
            "etcd": {"host": f"{GATEWAY}:2379"},
            "bootstrap": {
                "dcs": {
                    "ttl": 20, "loop_wait": 2, "retry_timeout": 3, "synchronous_mode": True,
                    "postgresql": {"use_pg_rewind": True, "parameters": {"max_connections": 200, "wal_log_hints": "on"}},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums"],
            },
            "postgresql": {
                "listen": f"{NODES[name]}:5432", "connect_address": f"{NODES[name]}:5432", "data_dir": str(data / "data"),
                "bin_dir": str(self.programs), "pgpass": str(data / "pgpass"),
                "authentication": {user: {"username": login, "password": PASSWORD} for user, login in
                                   [("replication", "replicator"), ("superuser", "postgres"), ("rewind", "rewinder")]},
                "parameters": {"unix_socket_directories": str(data), "password_encryption": "scram-sha-256"},
                "pg_hba": ["local all all trust", "host replication replicator 198.51.100.0/24 scram-sha-256", "host all all 198.51.100.0/24 scram-sha-256"],
            },
        }
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps(settings))
        self.start(name, "ip", "netns", "exec", Network.namespace(name), "setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "patroni", str(file))

    def status(self, name, role):
        try:
            # Not through the proxy of the environment.
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://{NODES[name]}:8008/{role}", timeout=4) as response:
                return response.status == 200
        except OSError:
            return False

    def primary(self):
        return next((name for name in NODES if self.status(name, "primary")), None)

    def standby(self):
        return next((name for name in NODES if self.status(name, "synchronous")), None)

    def server(self, name):
        """The process ID of a server; None if it doesn't run."""
        try:
            return int((self.folder / name / "data" / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None

    @staticmethod
    def wait(seconds, condition, message):
        end = time.monotonic() + seconds
        while not (result := condition()):
            if time.monotonic() > end:
                raise SystemExit(f"cluster-test: {message}")
            time.sleep(0.2)
        return result

    def end(self):
        for process in self.processes.values():
            send(-process.pid, signal.SIGKILL)
        for name in NODES:
            if pid := self.server(name):
                send(pid, signal.SIGKILL)
