#!/usr/bin/env python3
"""Measures EmojiArt: the operations per second of its server, how soon others see a drag, and how its page draws.

    art_figures.py MEANWHILE [--chromium PROGRAM] [--rounds N]

MEANWHILE is the program, built for release. A test prints the figures of the store alone: see `script/bench art`.
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import socket
import statistics
import tempfile
import time

from art_boards import CHOSEN, Boards, add, batch, move
from art_pages import print_drag, print_frames, print_opening
from chromium import Chromium
from site_figures import Server, free_port


class Connection:
    """A persistent connection for prepared requests, so that the client takes little time."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, request):
        self.socket.sendall(request)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self._more()
        head, body = answer.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 200 "):
            raise SystemExit(answer.decode(errors="replace"))
        fields = dict(line.split(b":", 1) for line in head.lower().split(b"\r\n")[1:])
        length = int(fields[b"content-length"])
        while len(body) < length:
            body += self._more()
        if b'"refused":[]' not in body:
            raise SystemExit(body.decode())

    def _more(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise SystemExit("the server has closed a connection")
        return data

    def close(self):
        self.socket.close()


def requests(port, board, size, count):
    """Yields requests with one batch each, which moves `size` different emoji."""
    for number in range(count):
        name = "Move 🐶" if size == 1 else f"Move {size} emoji"
        ids = [number % CHOSEN] if size == 1 else range(size)
        body = json.dumps(batch(name, [move(f"e{each}", number + each + 0.5, number + 0.25) for each in ids])).encode()
        yield (
            f"POST /art/boards/{board}/operations HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Origin: http://127.0.0.1:{port}\r\nCookie: meanwhile-person={'8' * 32}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode() + body


def batches_a_second(boards, size, count, width):
    """How many batches a server handles per second on a new board, over `width` parallel connections."""
    board = boards.make("Operations", [add(f"e{number}", number) for number in range(CHOSEN)])
    written = list(requests(boards.port, board, size, count))
    connections = [Connection(boards.port) for _ in range(width)]

    def post_all(index):
        for request in written[index::width]:
            connections[index].post(request)

    with concurrent.futures.ThreadPoolExecutor(width) as threads:
        start = time.perf_counter()
        list(threads.map(post_all, range(width)))
        duration = time.perf_counter() - start
    for connection in connections:
        connection.close()
    return count / duration


def print_operations(boards, rounds):
    kinds = [(size, count, width) for size, count in [(1, 800), (CHOSEN, 80)] for width in [1, 8]]
    rates = {kind: [] for kind in kinds}
    # Warm up with a short round of each, which isn't counted.
    for kind in kinds:
        batches_a_second(boards, kind[0], 16, kind[2])
    for _ in range(rounds):
        for kind in kinds:
            rates[kind].append(batches_a_second(boards, *kind))
    print("| through server and store | operations a second, median | min | max | batches a second |")
    print("|---|---:|---:|---:|---:|")
    for (size, _, width), values in rates.items():
        label = f"{size} move{'s' if size > 1 else ''} a batch, {width} connection{'s' if width > 1 else ''}"
        median = statistics.median(values)
        cells = [size * median, size * min(values), size * max(values), median]
        print(f"| {label} | " + " | ".join(f"{value:,.0f}" for value in cells) + " |")


def installed_chromium():
    names = [os.environ.get("MEANWHILE_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"]
    return next(filter(None, (shutil.which(name) for name in names if name)), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("meanwhile")
    parser.add_argument("--chromium", default=installed_chromium())
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if not options.chromium:
        parser.error("there is no Chromium: name one by --chromium")
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        server = Server([options.meanwhile, "serve", "--port", str(port), "--data", folder], port, "/art/")
        try:
            boards = Boards(port)
            print(f"### EmojiArt\n\n{options.rounds} rounds each.\n")
            print_operations(boards, options.rounds)
            with Chromium(options.chromium) as browser:
                print_drag(browser, boards, options.rounds)
                print_opening(browser, boards, options.rounds)
                print_frames(browser, boards, options.rounds)
        finally:
            server.end()


if __name__ == "__main__":
    main()
