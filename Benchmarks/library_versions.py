#!/usr/bin/env python3
"""Prints how much space versions of a page with pictures take.

    library_versions.py MEANWHILE [--versions N]

Saves a page several times with `meanwhile serve`. Each time, the page has another text, and the same twelve pictures. The
other number is the space that the same files would take if each were stored as a whole.
"""

import argparse
import random
import sqlite3
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from sample_pages import jpeg
from site_figures import free_port

PICTURES = {f"/{number}.jpeg": jpeg(120, 80, number) for number in range(12)}


class Site(BaseHTTPRequestHandler):
    """A page whose text changes with each request."""

    version = 0

    def do_GET(self):
        if self.path == "/":
            Site.version += 1
            words = random.Random(Site.version).choices(["alpha", "beta", "gamma", "delta"], k=2000)
            pictures = "".join(f'<img src="{path}" width="240" alt="">' for path in PICTURES)
            body = f"<!doctype html><title>A page</title><p>{' '.join(words)}</p>{pictures}".encode()
            self.answer(body, "text/html")
        elif self.path in PICTURES:
            self.answer(PICTURES[self.path], "image/jpeg")
        else:
            self.send_error(404)

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def save(port, address, count, data):
    """Saves the page, and waits until it has `count` versions."""
    form = urllib.parse.urlencode({"address": address, "again": address, "webarchive": "on"}).encode()
    headers = {"Origin": f"http://127.0.0.1:{port}"}
    urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/library/pages", form, headers)).close()
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        with sqlite3.connect(f"file:{data}/meanwhile.sqlite?mode=ro", uri=True) as database:
            states = [row[0] for row in database.execute("SELECT state FROM library_page")]
        if "failed" in states:
            raise SystemExit("the page could not be saved")
        if states.count("found") == count:
            return
        time.sleep(0.1)
    raise SystemExit("the page was not saved in time")


def measure(data):
    """The sizes of all files on the disk, and of the same content in one file each."""
    stored = sum(path.stat().st_size for path in Path(data, "blobs").glob("??/*"))
    with sqlite3.connect(f"file:{data}/meanwhile.sqlite?mode=ro", uri=True) as database:
        whole = sum(size for _, size in database.execute("SELECT DISTINCT blob, bytes FROM library_file"))
    return stored, whole


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--versions", type=int, default=2)
    arguments = parser.parse_args()
    site = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        port, data = free_port(), f"{folder}/data"
        command = [arguments.program, "serve", "--port", str(port), "--data", data, "--allow", "127.0.0.0/8"]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/library/").close()
                    break
                except OSError:
                    time.sleep(0.1)
            print("| versions | each file whole | on the disk |\n|---|---:|---:|")
            for count in range(1, arguments.versions + 1):
                save(port, f"http://127.0.0.1:{site.server_port}/", count, data)
                stored, whole = measure(data)
                print(f"| {count} | {whole:,} | {stored:,} |", flush=True)
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
