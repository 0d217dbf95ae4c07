#!/usr/bin/env python3
"""Prints the figures of Offline Library: how fast a library with many pages is, as a browser sees it.

    library_figures.py MEANWHILE [--rounds N] [--pages N …]

MEANWHILE is the program, built for release. The pages are generated: 5,000 characters of English or German words, or of
Chinese characters, distributed as in natural language.
"""

import argparse
import itertools
import random
import socket
import sqlite3
import statistics
import subprocess
import tempfile
import time
import urllib.parse
import uuid

from site_figures import Server, free_port

ENGLISH = "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which".split()
GERMAN = "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass".split()
LENGTH = 5_000


def vocabulary(common, chance):
    """Words by frequency: the most common ones, and 30,000 made-up ones."""
    letters = "eeeeettaaooiinnsshhrrddllccuummwwffggyyppbbvk"
    rare = ("".join(chance.choices(letters, k=chance.randint(3, 11))) for _ in range(30_000))
    words = common + list(rare)
    return words, list(itertools.accumulate(1 / (rank + 1) for rank in range(len(words))))


class Texts:
    """Generates texts in three languages, always the same ones."""

    def __init__(self):
        self.chance = random.Random(28)
        self.words = [vocabulary(common, self.chance) for common in (ENGLISH, GERMAN)]
        characters = [chr(0x4E00 + self.chance.randrange(5_000)) for _ in range(3_000)]
        self.characters = characters, list(itertools.accumulate(1 / (rank + 10) for rank in range(3_000)))

    def text(self, language, length):
        if language == 2:
            return "".join(self.chance.choices(self.characters[0], cum_weights=self.characters[1], k=length))
        words, weights = self.words[language]
        return " ".join(self.chance.choices(words, cum_weights=weights, k=length // 6))


def indexed(text, language):
    """The form of a text in the index, as `SearchIndex` makes it."""
    if language != 2:
        return text
    return "".join(f"{first}{second}\x1f" for first, second in itertools.pairwise(text)) + text[-1] + "\x1e"


def fill(path, count):
    """Adds pages to a new data folder, and returns their identifiers."""
    texts, ids = Texts(), []
    database = sqlite3.connect(f"{path}/meanwhile.sqlite")
    # One transaction, most of which fits in memory: otherwise, the index is written again and again.
    database.execute("PRAGMA cache_size = -2000000")
    database.execute("PRAGMA wal_autocheckpoint = 0")
    blob = "a" * 64
    with database:
        database.execute('INSERT INTO blob (id, bytes, "references") VALUES (?, 1000, ?)', (blob, count))
        for number in range(1, count + 1):
            language = number % 3
            title, body = texts.text(language, 40 if language < 2 else 12), texts.text(language, LENGTH)
            address = f"https://{texts.chance.choice(texts.words[0][0])}.example/page/{number}"
            ids.append(str(uuid.UUID(int=texts.chance.getrandbits(128), version=4)))
            database.execute(
                "INSERT INTO library_page (number, id, owner, address, formats, requested_at, attempt, state, title, url,"
                " http_status, captured_at, warnings) VALUES (?, ?, 'local', ?, '[\"webarchive\"]', ?, 1, 'found', ?, ?,"
                " 200, ?, '[]')",
                (number, ids[-1], address, 8e8 + number, title, address, 8e8 + number),
            )
            database.execute("INSERT INTO library_file VALUES (?, 'webarchive', ?, 1000)", (number, blob))
            database.execute(
                "INSERT INTO library_text (page, title, address, body) VALUES (?, ?, ?, ?)",
                (number, indexed(title, language), address, indexed(body, language)),
            )
            if number % 5 == 0:
                tag = f"tag {texts.chance.randrange(100)}"
                database.execute("INSERT INTO library_tag VALUES (?, ?, ?, 0)", (number, tag, tag))
    database.close()
    return ids


def queries(count):
    """Searches as people type them: rare and common words, prefixes, phrases and exclusions, in three languages."""
    texts, chance = Texts(), random.Random(7)
    for number in range(count):
        language = number % 3
        if language == 2:
            yield texts.text(2, chance.choice([1, 2, 2, 3]))
            continue
        words = texts.text(language, 18).split()
        yield [
            words[0],
            f"{words[0]} {words[1][:3]}",
            words[0][: chance.choice([1, 2, 3])],
            f'"{words[0]} {words[1]}"',
            f"{words[0]} -{words[1]}",
        ][number // 3 % 5]


def request(connection, method, path, body=b""):
    """Sends a request on an open connection; returns the milliseconds until the response is complete."""
    port = connection.getpeername()[1]
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    if method == "POST":
        head += f"Origin: http://127.0.0.1:{port}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        head += f"Content-Length: {len(body)}\r\n"
    start = time.perf_counter()
    connection.sendall(head.encode() + b"\r\n" + body)
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(1 << 16)
    top, answer = answer.split(b"\r\n\r\n", 1)
    if top.split()[1] not in (b"200", b"303"):
        raise SystemExit(f"{method} {path}: {top.decode()}")
    fields = dict(line.lower().split(b": ", 1) for line in top.split(b"\r\n")[1:])
    while len(answer) < int(fields.get(b"content-length", 0)):
        answer += connection.recv(1 << 16)
    return (time.perf_counter() - start) * 1000


def measure(program, count, rounds):
    """The times of each operation, in milliseconds."""
    with tempfile.TemporaryDirectory() as path:
        data = f"{path}/data"
        subprocess.run([program, "art", "list", "--data", data], check=True, stdout=subprocess.DEVNULL)
        ids = fill(data, count)
        times = {}
        for _ in range(3):
            port = free_port()
            server = Server([program, "serve", "--port", str(port), "--data", data, "--workers", "0"], port, "/library/")
            times.setdefault("start until the list is shown", []).append(server.start)
            with socket.create_connection(("127.0.0.1", port)) as connection:
                if len(times["start until the list is shown"]) == 3:
                    measure_requests(connection, ids, rounds, times)
            server.end()
        return times


def measure_requests(connection, ids, rounds, times):
    chance = random.Random(1)
    for query in queries(rounds):
        path = f"/library/?{urllib.parse.urlencode({'q': query})}"
        times.setdefault("search", []).append(request(connection, "GET", path))
    words = queries(rounds)
    for _ in range(rounds // 5):
        fields = {"q": next(words), "tag": f"tag {chance.randrange(100)}"}
        path = f"/library/?{urllib.parse.urlencode(fields)}"
        times.setdefault("search with a tag", []).append(request(connection, "GET", path))
        path = f"/library/?{urllib.parse.urlencode({'tag': fields['tag']})}"
        times.setdefault("pages with a tag", []).append(request(connection, "GET", path))
        times.setdefault("list", []).append(request(connection, "GET", "/library/"))
        path = f"/library/pages/{chance.choice(ids)}/archive"
        times.setdefault("open a page", []).append(request(connection, "GET", path))
    for id in chance.sample(ids, rounds // 10):
        body = b"favourite=1"
        times.setdefault("star a page", []).append(request(connection, "POST", f"/library/pages/{id}/favourite", body))
        times.setdefault("delete a page", []).append(request(connection, "POST", f"/library/pages/{id}/delete"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=300, help="the number of searches")
    parser.add_argument("--pages", type=int, nargs="+", default=[20_000, 100_000])
    options = parser.parse_args()
    print("| pages | operation | median, ms | 99th percentile, ms |\n|---:|---|---:|---:|")
    for count in options.pages:
        for name, values in measure(options.program, count, options.rounds).items():
            values.sort()
            last = values[min(len(values) * 99 // 100, len(values) - 1)]
            print(f"| {count:,} | {name} | {statistics.median(values):,.1f} | {last:,.1f} |", flush=True)


if __name__ == "__main__":
    main()
