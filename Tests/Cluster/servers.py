"""Servers and workers of Meanwhile, each in a network namespace, with a proxy in front of the servers."""

import os
import signal
import socketserver
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import objects
from databases import GATEWAY, HAPROXY_PORT, NODES, PASSWORD, POOL_PORT, Network, send

SERVERS = {"s1": "198.51.100.21", "s2": "198.51.100.22", "s3": "198.51.100.23"}
WORKERS = {"w1": "198.51.100.31", "w2": "198.51.100.32", "w3": "198.51.100.33"}
SERVER_PORT = 8080
SITE_PORT = 8090
PAGES_PORT = 8190
ORIGIN = f"http://{GATEWAY}:{SITE_PORT}"

DIRECT = f"postgres://postgres:{PASSWORD}@/postgres?host={','.join(NODES.values())}&port=5432&sslmode=disable"
THROUGH = f"postgres://postgres:{PASSWORD}@{GATEWAY}:{HAPROXY_PORT}/postgres?sslmode=disable"
POOLED = f"postgres://postgres:{PASSWORD}@{GATEWAY}:{POOL_PORT}/postgres?sslmode=disable"
# One of each connects to the databases themselves, one through HAProxy, one through PgBouncer.
ADDRESSES = {"1": DIRECT, "2": THROUGH, "3": POOLED}

PROXY = f"""
frontend site
    mode http
    bind {GATEWAY}:{SITE_PORT}
    timeout client 1h
    option forwardfor
    default_backend servers
backend servers
    mode http
    balance roundrobin
    timeout server 1h
    option redispatch
    retries 2
    option httpchk
    http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host {GATEWAY}:{SITE_PORT}
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
""" + "".join(f"    server {name} {address}:{SERVER_PORT} check\n" for name, address in SERVERS.items())


class Page(BaseHTTPRequestHandler):
    """A page for each path."""

    def do_GET(self):
        body = f"<!doctype html><title>Page {self.path}</title><h1>{self.path}</h1>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Pages(socketserver.ThreadingTCPServer):
    """The pages that are saved."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self):
        super().__init__((GATEWAY, PAGES_PORT), Page)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Programs:
    """The servers and workers; those that have ended are started again, as systemd would do."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        self.processes = {}
        self.ends = []
        self.is_ending = False
        self.lock = threading.Lock()

    def environment(self, name):
        # A data folder of its own, as on a machine of its own.
        return os.environ | objects.KEYS | {"MEANWHILE_DATABASE": ADDRESSES[name[-1]], "MEANWHILE_DATA": str(self.folder / f"data-{name}"),
                                            "MEANWHILE_BLOBS": objects.BLOBS, "NO_COLOR": "1"}

    def command(self, *arguments, input=""):
        """Runs a command of the program, and returns its output."""
        result = subprocess.run([self.program, *arguments], input=input, text=True, capture_output=True, env=self.environment("w1"))
        if result.returncode:
            raise SystemExit(f"cluster-test: {arguments} failed: {result.stderr}")
        return result.stdout

    def start(self, name):
        log = open(self.folder / f"{name}.log", "a")
        if name in SERVERS:
            address = SERVERS[name]
            arguments = ["serve", "--listen", address, "--port", str(SERVER_PORT), "--no-worker", "--origin", ORIGIN, "--proxy", GATEWAY]
        else:
            arguments = ["worker", "--browser-jobs", "1", "--other-jobs", "1"]
        arguments += ["--allow", f"{GATEWAY}:{PAGES_PORT}"]
        self.processes[name] = subprocess.Popen(
            ["ip", "netns", "exec", Network.namespace(name), self.program, *arguments], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
            env=self.environment(name), start_new_session=True)

    def begin(self):
        for name in [*SERVERS, *WORKERS]:
            self.start(name)
        threading.Thread(target=self.supervise, daemon=True).start()

    def supervise(self):
        while not self.is_ending:
            time.sleep(1)
            with self.lock:
                for name, process in list(self.processes.items()):
                    if process.poll() is not None and not self.is_ending:
                        self.ends.append((name, process.returncode))
                        self.start(name)

    def kill(self, name):
        # The worker's job processes end by themselves.
        send(self.processes[name].pid, signal.SIGKILL)

    def signal_group(self, name, number):
        try:
            os.killpg(self.processes[name].pid, number)
        except ProcessLookupError:
            pass

    def end(self):
        """Ends all programs, and returns the exit codes of those that ended by themselves in an unexpected way."""
        with self.lock:
            self.is_ending = True
        for process in self.processes.values():
            send(process.pid, signal.SIGTERM)
        for name, process in self.processes.items():
            try:
                self.ends.append((name, process.wait(60)))
            except subprocess.TimeoutExpired:
                process.kill()
                self.ends.append((name, "no end after SIGTERM"))
        # Killed by an event, ended in order (perhaps before it caught signals), or replaced by other servers (1).
        return [(name, code) for name, code in self.ends if code not in (0, 1, -signal.SIGKILL, -signal.SIGTERM)]
