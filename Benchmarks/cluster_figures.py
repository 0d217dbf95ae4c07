#!/usr/bin/env python3
"""Prints what several servers and workers with one PostgreSQL database do in a second or a minute, all on this computer.

    cluster_figures.py MEANWHILE [--seconds N] [--pages N]

MEANWHILE is the program, built for release. PostgreSQL waits for its disk at each commit. The requests are wrk's; they reach any of
the servers, which forward those of owners that belong to another one.
"""

import argparse
import asyncio
import http.client
import json
import os
import pwd
import re
import shutil
import signal
import socketserver
import statistics
import subprocess
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from site_figures import free_port

PEOPLE = 6
EDITORS, WATCHERS = 50, 500

OPERATIONS = """
local people = {%s}
local number = 0
function setup(thread)
    counter = (counter or 0) + 1
    thread:set("id", counter)
end
function request()
    number = number + 1
    local person = people[number %% #people + 1]
    local headers = { ["Authorization"] = "Bearer " .. person[1], ["Content-Type"] = "application/json" }
    if %s then
        local body = string.format(
            '{"id":"%s-%%d-%%d","name":"Move","operations":[{"op":"move","id":"d","x":%%d,"y":0}]}', id, number, number %% 400)
        return wrk.format("POST", "/api/v1/art/boards/" .. person[2] .. "/operations", headers, body)
    end
    return wrk.format("GET", "/api/v1/art/boards/" .. person[2], headers)
end
"""


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        body = f"<!doctype html><title>{self.path}</title><h1>{self.path}</h1>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Database:
    """A PostgreSQL server in a temporary folder."""

    def __init__(self, folder):
        self.programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        self.folder, self.port = folder, free_port()
        # PostgreSQL refuses to be run by root.
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        folder.mkdir()
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        self.run("initdb", "--pgdata", f"{folder}/data", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--username", "postgres")
        self.run("pg_ctl", "--pgdata", f"{folder}/data", "--wait", "--log", f"{folder}/log", "--options",
                 f"-p {self.port} -k {folder} -c max_connections=300", "start")
        self.address = f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def run(self, program, *arguments):
        command = [str(self.programs / program), *arguments]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

    def end(self):
        self.run("pg_ctl", "--pgdata", f"{self.folder}/data", "--wait", "--mode", "immediate", "stop")


class Programs:
    def __init__(self, program, folder, address):
        self.program, self.folder = program, folder
        self.environment = os.environ | {"MEANWHILE_DATABASE": address, "MEANWHILE_DATA": str(folder / "data")}
        self.processes, self.ports = [], []

    def command(self, *arguments, input=""):
        return subprocess.run([self.program, *arguments], check=True, text=True, capture_output=True, input=input, env=self.environment).stdout

    def start(self, *arguments):
        log = open(self.folder / f"{arguments[0]}-{len(self.processes)}.log", "w")
        self.processes.append(subprocess.Popen([self.program, *arguments], stdout=log, stderr=log, env=self.environment))

    def serve(self, count):
        for _ in range(count):
            port = free_port()
            self.ports.append(port)
            self.start("serve", "--port", str(port), "--no-worker", "--max-connections", "20000",
                       # The open pages come from several addresses, each of which may have only so many.
                       "--proxy", "127.0.0.1")
        for port in self.ports:
            wait(lambda: request(port, "GET", "/readyz")[0] == 200)

    def work(self, count, *arguments):
        for _ in range(count):
            self.start("worker", "--browser-jobs", "2", *arguments)

    def end(self):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(60)
        self.processes, self.ports = [], []


def wait(condition, limit=120):
    end = time.monotonic() + limit
    while True:
        try:
            if condition():
                return
        except OSError:
            pass
        if time.monotonic() > end:
            raise SystemExit("a condition doesn't become true")
        time.sleep(0.02)


def request(port, method, path, token="", body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    connection.request(method, path, json.dumps(body) if body else None, headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, json.loads(content) if content[:1] in (b"{", b"[") else content


def add_people(programs):
    tokens = []
    for number in range(PEOPLE):
        programs.command("user", "add", f"person-{number}", "--password-stdin", input="correct horse battery\n")
        scopes = [part for app in ["library", "art"] for part in ["--scope", f"{app}:write"]]
        tokens.append(json.loads(programs.command("token", "add", "figures", "--user", f"person-{number}", "--json", *scopes))["secret"])
    return tokens


def add_boards(programs, tokens):
    """A board of each person, who then belongs to the server that was asked."""
    boards = []
    for number, token in enumerate(tokens):
        port = programs.ports[number % len(programs.ports)]
        board = request(port, "POST", "/api/v1/art/boards", token, {"name": "Board"})[1]["id"]
        batch = {"id": "first", "name": "Add", "operations": [{"op": "add", "emoji": {"id": "d", "text": "🐶", "x": 0, "y": 0, "size": 40, "z": 1}}]}
        assert request(port, "POST", f"/api/v1/art/boards/{board}/operations", token, batch)[0] == 200
        boards.append((token, board))
    return boards


def rate(programs, boards, seconds, is_writing):
    """Requests a second of all servers together."""
    people = ", ".join(f'{{"{token}", "{board}"}}' for token, board in boards)
    runs = []
    for index, port in enumerate(programs.ports):
        script = programs.folder / f"wrk-{index}.lua"
        script.write_text(OPERATIONS % (people, "true" if is_writing else "false", f"{index}-{time.time_ns()}"))
        runs.append(subprocess.Popen(
            ["wrk", "--threads", "1", "--connections", "16", "--duration", f"{seconds}s", "--script", str(script), f"http://127.0.0.1:{port}"],
            stdout=subprocess.PIPE, text=True))
    total = 0.0
    for run in runs:
        output = run.communicate()[0]
        if failures := re.search(r"Non-2xx.*: (\d+)", output):
            print(f"  {failures[1]} requests failed")
        total += float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])
    return total


def pages_a_minute(programs, token, origin, count):
    start = time.monotonic()
    ids = []
    for number in range(count):
        url = f"{origin}/{time.time_ns()}-{number}"
        ids.append(request(programs.ports[0], "POST", "/api/v1/library/pages", token, {"url": url, "formats": ["webarchive"]})[1]["id"])
    for page in ids:
        wait(lambda: request(programs.ports[0], "GET", f"/api/v1/library/pages/{page}", token)[1]["state"] == "saved")
    return count / (time.monotonic() - start) * 60


async def watch(port, token, board, number, seen):
    """An open page; notes when each operation arrives."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    writer.write((f"GET /api/v1/art/boards/{board}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
                  f"X-Forwarded-For: 198.51.100.{1 + number // 50}\r\n\r\n").encode())
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n")[0]:
        raise SystemExit(f"an open page was refused: {head.decode()}")
    try:
        while data := await reader.read(1 << 16):
            seen.append((time.perf_counter(), data.count(b"event:")))
    except asyncio.CancelledError:
        writer.close()


async def edit(port, token, board, name, seconds, times):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    end = time.perf_counter() + seconds
    number = 0
    while time.perf_counter() < end:
        number += 1
        body = json.dumps({"id": f"{name}-{number}-{time.time_ns()}", "name": "Move", "operations": [{"op": "move", "id": "d", "x": number % 400, "y": 0}]})
        start = time.perf_counter()
        writer.write((f"POST /api/v1/art/boards/{board}/operations HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
                      f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
        await reader.readexactly(length)
        if b" 200 " in head.split(b"\r\n")[0]:
            times.append(time.perf_counter() - start)
        await asyncio.sleep(max(0, 1 - (time.perf_counter() - start)))
    writer.close()


async def one_board(programs, token, board, seconds):
    seen = [[] for _ in range(WATCHERS)]
    ports = programs.ports
    watchers = [asyncio.create_task(watch(ports[index % len(ports)], token, board, index, seen[index])) for index in range(WATCHERS)]
    while any(not list_ for list_ in seen):
        await asyncio.sleep(0.1)
    before = sum(count for list_ in seen for _, count in list_)
    times = []
    start = time.perf_counter()
    await asyncio.gather(*(edit(ports[index % len(ports)], token, board, f"e{index}", seconds, times) for index in range(EDITORS)))
    elapsed = time.perf_counter() - start
    await asyncio.sleep(2)
    after = sum(count for list_ in seen for _, count in list_)
    # The last operation reaches the last page.
    last = [list_[-1][0] for list_ in seen]
    for task in watchers:
        task.cancel()
    times.sort()
    print(f"| {EDITORS} editors with an operation a second each, {WATCHERS} pages | |")
    print(f"| acknowledged operations a second | {len(times) / elapsed:.0f} |")
    print(f"| an operation is acknowledged after (median, p99) | {statistics.median(times) * 1000:.0f} ms, {times[len(times) * 99 // 100] * 1000:.0f} ms |")
    print(f"| events a second at all pages | {(after - before) / elapsed:.0f} |")
    print(f"| the last page got the last event after the first page | {(max(last) - min(last)) * 1000:.0f} ms |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--pages", type=int, default=24)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="meanwhile-figures-"))
    folder.chmod(0o755)
    database = Database(folder / "postgresql")
    site = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Page)
    site.daemon_threads = True
    threading.Thread(target=site.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{site.server_address[1]}"
    programs = Programs(options.program, folder, database.address)
    try:
        tokens = add_people(programs)
        print("| servers | boards read a second | operations a second |\n|---:|---:|---:|", flush=True)
        for count in [1, 2, 3]:
            programs.serve(count)
            boards = add_boards(programs, tokens)
            reads = rate(programs, boards, options.seconds, False)
            writes = rate(programs, boards, options.seconds, True)
            print(f"| {count} | {reads:.0f} | {writes:.0f} |", flush=True)
            programs.end()
        print("| workers | pages saved a minute |\n|---:|---:|", flush=True)
        for count in [1, 2, 3]:
            programs.serve(1)
            programs.work(count, "--allow", f"127.0.0.1:{site.server_address[1]}")
            pages_a_minute(programs, tokens[0], origin, count * 2)
            print(f"| {count} | {pages_a_minute(programs, tokens[0], origin, options.pages):.0f} |", flush=True)
            programs.end()
        for count in [1, 3]:
            programs.serve(count)
            board = add_boards(programs, tokens[:1])[0]
            print(f"| one board, {count} server{'s' if count > 1 else ''} | |\n|---|---:|")
            asyncio.run(one_board(programs, *board, options.seconds))
            programs.end()
    finally:
        for process in programs.processes:
            process.kill()
        database.end()
        shutil.rmtree(folder, ignore_errors=True)


main()
