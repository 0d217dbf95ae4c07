#!/usr/bin/env python3
"""Prints what many people cost who are signed in at once, and how soon a change reaches the last of a person's tabs.

    people_figures.py MEANWHILE [--people N] [--tabs N] [--changes N]

MEANWHILE is the program, built for release. Each person has an own address, session, page and tabs.
"""

import argparse
import asyncio
import http.client
import re
import statistics
import subprocess
import tempfile
import time
import urllib.parse

from site_figures import Server, Tab, free_port

PASSWORD = "correct horse battery staple"


class Person:
    """A person who has signed in, with a page in the library and open tabs."""

    def __init__(self, port, number):
        self.port, self.number, self.cookie = port, number, ""
        self.tabs, self.is_deleted = [], False

    def request(self, method, path, **fields):
        """Sends a request from the person's address; returns the status, the headers and the body."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=60, source_address=(f"127.2.0.{self.number + 1}", 0)
        )
        headers = {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/x-www-form-urlencoded"}
        if self.cookie:
            headers["Cookie"] = self.cookie
        connection.request(method, path, urllib.parse.urlencode(fields) if fields else None, headers)
        with connection.getresponse() as answer:
            result = answer.status, answer.headers, answer.read()
        connection.close()
        return result

    def sign_in(self):
        status, headers, body = self.request("POST", "/sign-in", name=f"person-{self.number}", password=PASSWORD)
        if status != 303 or "Set-Cookie" not in headers:
            raise SystemExit(f"signing in failed with status {status}: {body[:500]}")
        self.cookie = "; ".join(value.split(";")[0] for value in headers.get_all("Set-Cookie"))

    def add_page(self, address):
        self.request("POST", "/library/pages", address=address, png="on")
        body = self.request("GET", "/library/")[2]
        self.page = re.search(rb"/library/pages/([0-9a-f-]+)/", body)[1].decode()

    def change(self):
        """Deletes the page, or restores it."""
        self.is_deleted = not self.is_deleted
        action = "delete" if self.is_deleted else "restore"
        status, _, body = self.request("POST", f"/library/pages/{self.page}/{action}")
        if status != 303:
            raise SystemExit(f"a change failed with status {status}: {body[:500]}")


async def measure(server, people, tabs, changes):
    """Returns the memory without and with the tabs, and after the changes, and the delays in milliseconds."""
    before = server.memory()
    for person in people:
        person.tabs = [Tab() for _ in range(tabs)]
        for tab in person.tabs:
            await tab.open(server.port, person.number, person.cookie)

    async def wait_for_lists(person, lists):
        while any(tab.lists < lists for tab in person.tabs):
            await asyncio.sleep(0.0005)

    for person in people:
        await asyncio.wait_for(wait_for_lists(person, 1), 60)
    open_memory = server.memory()

    async def change(person):
        lists, start = max(tab.lists for tab in person.tabs), time.perf_counter()
        # Measured from before the request, so the time includes the request.
        await asyncio.to_thread(person.change)
        await asyncio.wait_for(wait_for_lists(person, lists + 1), 60)
        return (max(tab.last for tab in person.tabs) - start) * 1000

    for person in people:
        await change(person)
    one_by_one = [await change(people[number % len(people)]) for number in range(changes)]
    start = time.perf_counter()
    together = await asyncio.gather(*(change(person) for person in people))
    seconds = time.perf_counter() - start
    after = server.memory()
    for person in people:
        for tab in person.tabs:
            tab.writer.close()
            tab.task.cancel()
    return before, open_memory, after, one_by_one, together, seconds


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("meanwhile")
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--tabs", type=int, default=5)
    parser.add_argument("--changes", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.people):
            subprocess.run(
                [options.meanwhile, "user", "add", f"person-{number}", "--password-stdin", "--data", folder],
                input=PASSWORD.encode(), stdout=subprocess.DEVNULL, check=True,
            )
        port = free_port()
        # No worker, because the pages are only marked.
        server = Server([options.meanwhile, "serve", "--port", str(port), "--data", folder, "--no-worker"], port, "/sign-in")
        people = [Person(port, number) for number in range(options.people)]
        signing_in = []
        for person in people:
            start = time.perf_counter()
            person.sign_in()
            signing_in.append((time.perf_counter() - start) * 1000)
            person.add_page(f"https://page-{person.number}.example/")
        before, opened, after, one_by_one, together, seconds = asyncio.run(
            measure(server, people, options.tabs, options.changes)
        )
        server.end()
    print(f"### {options.people} people with {options.tabs} tabs each\n\n| | |\n|---|---:|")
    print(f"| signing in, median | {statistics.median(signing_in):.0f} ms |")
    print(f"| memory without the tabs | {before:.0f} MB |\n| with them | {opened:.0f} MB |")
    print(f"| after {len(one_by_one) + 2 * len(people)} changes | {after:.0f} MB |")
    for name, values in [(f"{len(one_by_one)} changes one by one", one_by_one), ("a change of everybody at once", together)]:
        print(f"| {name}, to the last tab, median | {statistics.median(values):.0f} ms |")
        print(f"| {name}, to the last tab, p99 | {percentile(values, 0.99):.0f} ms |")
    print(f"| the changes of everybody at once, in all | {seconds:.1f} s |")


if __name__ == "__main__":
    main()
