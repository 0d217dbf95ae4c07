#!/usr/bin/env python3
"""Prints the figures of the site: how fast its home page is, what open tabs cost, and how fast it starts.

    site_figures.py MEANWHILE HELLO_SERVER [--rounds N] [--streams N]

MEANWHILE and HELLO_SERVER are programs, built for release. `wrk` makes the load.
"""

import argparse
import asyncio
import re
import signal
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(port, path="/"):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return answer.read()


class Server:
    """A running server; `start` is the time until its first response, in milliseconds."""

    def __init__(self, arguments, port, path="/"):
        self.port = port
        start = time.perf_counter()
        self.process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                get(port, path)
                break
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit(f"{arguments[0]} ended before it answered")
                time.sleep(0.002)
        self.start = (time.perf_counter() - start) * 1000

    def memory(self):
        """The process's proportional set size in megabytes, without the browser's."""
        with open(f"/proc/{self.process.pid}/smaps_rollup", encoding="ascii") as rollup:
            return int(re.search(r"^Pss:\s+(\d+) kB", rollup.read(), re.MULTILINE)[1]) / 1000

    def end(self):
        """Terminates the process; returns how long that took, in milliseconds."""
        start = time.perf_counter()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        return (time.perf_counter() - start) * 1000


def requests_a_second(port):
    report = subprocess.run(
        ["wrk", "-t1", "-c32", "-d4s", f"http://127.0.0.1:{port}/"], capture_output=True, text=True, check=True
    ).stdout
    if "Non-2xx" in report:
        raise SystemExit(report)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", report)[1])


def post(port, path, **fields):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        urllib.parse.urlencode(fields).encode(),
        {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/x-www-form-urlencoded"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        answer.read()


class Tab:
    """An open event stream, which counts `list` events and records when the last one arrived."""

    async def open(self, port, number, cookie=""):
        """Opens it from one of the loopback addresses, because the server allows each address only some streams."""
        address = (f"127.1.{number // 250}.{number % 250 + 1}", 0)
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22, local_addr=address)
        head = f"GET /library/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        self.writer.write((head + (f"Cookie: {cookie}\r\n" if cookie else "") + "\r\n").encode())
        self.lists, self.last = 0, 0.0
        self.task = asyncio.create_task(self.follow())

    async def follow(self):
        while line := await self.reader.readline():
            if line.startswith(b"event: list"):
                self.lists, self.last = self.lists + 1, time.perf_counter()


async def streams(server, count, changes):
    """Measures memory without tabs, with tabs and after changes, and the time until the last tab gets a change.

    A change is a retry of one page, so that the list, which each event carries, keeps its length. Nothing is fetched:
    the page's address refuses connections.
    """
    address = f"http://127.0.0.1:{free_port()}/"
    await asyncio.to_thread(post, server.port, "/library/pages", address=address, png="on")
    page = re.search(rb"/library/pages/([0-9a-f-]+)/", await asyncio.to_thread(get, server.port, "/library/"))[1].decode()
    before = server.memory()
    tabs = [Tab() for _ in range(count)]
    for number, tab in enumerate(tabs):
        await tab.open(server.port, number // 50)

    async def wait_for_lists(lists):
        while any(tab.lists < lists for tab in tabs):
            await asyncio.sleep(0.001)

    async def wait_until_quiet():
        while max(tab.last for tab in tabs) > time.perf_counter() - 0.5:
            await asyncio.sleep(0.05)

    await wait_for_lists(1)
    await wait_until_quiet()
    memory, delays = [server.memory()], []
    for change in range(1, max(changes) + 1):
        lists, start = max(tab.lists for tab in tabs), time.perf_counter()
        await asyncio.to_thread(post, server.port, f"/library/pages/{page}/retry")
        # Measured from before the request, so the time includes the request.
        await wait_for_lists(lists + 1)
        delays.append((time.perf_counter() - start) * 1000)
        # Wait until the retry has failed, which is its last change.
        await wait_until_quiet()
        if change in changes:
            memory.append(server.memory())
    for tab in tabs:
        tab.writer.close()
        tab.task.cancel()
    return before, memory, statistics.median(delays), max(delays)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("meanwhile")
    parser.add_argument("hello")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--streams", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:

        def serve():
            port = free_port()
            command = [options.meanwhile, "serve", "--port", str(port), "--data", folder, "--allow", "127.0.0.1"]
            return Server(command, port)

        serve().end()
        port = free_port()
        hello, site = Server([options.hello, str(port)], port), serve()
        rates = {"Bare Hummingbird “hello”": [], "Meanwhile's home page": []}
        for _ in range(options.rounds):
            for name, server in zip(rates, [hello, site]):
                rates[name].append(requests_a_second(server.port))
        hello.end()
        site.end()
        print("### The site\n\n| | requests a second, median | min | max | ratio |\n|---|---:|---:|---:|---:|")
        base = statistics.median(rates["Bare Hummingbird “hello”"])
        for name, values in rates.items():
            median = statistics.median(values)
            print(f"| {name} | {median:,.0f} | {min(values):,.0f} | {max(values):,.0f} | {median / base:.2f} |")
        site = serve()
        changes = [20, 200]
        before, memory, median, slowest = asyncio.run(streams(site, options.streams, changes))
        site.end()
        print(f"\n| {options.streams} open tabs | |\n|---|---:|")
        print(f"| memory without tabs | {before:.0f} MB |\n| with them | {memory[0]:.0f} MB |")
        for count, after in zip(changes, memory[1:]):
            print(f"| after {count} changes | {after:.0f} MB ({after / memory[0]:.2f} ×) |")
        print(f"| from a change to the last tab, median | {median:.0f} ms |")
        print(f"| from a change to the last tab, slowest of {changes[-1]} | {slowest:.0f} ms |")
        starts, ends = [], []
        for _ in range(options.rounds):
            server = serve()
            starts.append(server.start)
            ends.append(server.end())
        print(f"| from the start to the first page, warm | {statistics.median(starts):.0f} ms |")
        print(f"| from SIGTERM to the end | {statistics.median(ends):.0f} ms |")


if __name__ == "__main__":
    main()
