"""People who draw, drink coffee and save pages at the same time, each request repeated until it is acknowledged."""

import http.client
import json
import random
import socket
import statistics
import threading
import time
import uuid
from urllib.parse import urlsplit

from servers import GATEWAY, ORIGIN, PAGES_PORT

PEOPLE = ["anna", "bert", "carl"]
BOARDS = 2


class Client:
    """Requests of one person's script, which are repeated until a server has answered."""

    def __init__(self, token, timeout=30):
        self.token, self.timeout = token, timeout
        self.connection = None

    def connect(self):
        return http.client.HTTPConnection(urlsplit(ORIGIN).netloc, timeout=self.timeout)

    def headers(self, key=None):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        return headers | ({"Idempotency-Key": key} if key else {})

    def once(self, method, path, body=None, key=None):
        """Sends a request; returns None if no server could answer it."""
        try:
            if not self.connection:
                self.connection = self.connect()
            self.connection.request(method, f"/api/v1{path}", json.dumps(body) if body is not None else None, self.headers(key))
            response = self.connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            if self.connection:
                self.connection.close()
            self.connection = None
            return None
        # 409: the server is still performing the first request with the same key. 429, 5xx: later.
        if response.status in (409, 421, 429) or response.status >= 500:
            return None
        if response.status >= 400:
            raise SystemExit(f"cluster-test: {method} {path}: {response.status} {content[:300]}")
        return json.loads(content) if content else {}

    def send(self, method, path, body=None, key=None, until=lambda: False):
        """Sends a request until it is acknowledged; returns None if `until` became true before."""
        while (answer := self.once(method, path, body, key)) is None:
            if until():
                return None
            time.sleep(0.2)
        return answer

    def stream(self, path):
        """Yields True when a stream begins and at each of its events, and False at other lines; ends with the stream."""
        connection = http.client.HTTPConnection(urlsplit(ORIGIN).netloc, timeout=60)
        try:
            connection.request("GET", f"/api/v1{path}", headers=self.headers())
            response = connection.getresponse()
            if response.status != 200:
                return
            yield True
            while line := response.readline():
                yield line.startswith(b"event:")
        except (OSError, http.client.HTTPException):
            return
        finally:
            connection.close()


class Load:
    """All people, and what was acknowledged."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.is_over = False
        self.errors = []
        self.operations = {}
        self.drinks = {}
        self.pages = {}
        self.acknowledged = []
        self.seen = []
        self.watchers = {}
        self.threads = []
        self.boards = {}

    def begin(self):
        for person, token in self.tokens.items():
            client = Client(token)
            self.boards[person] = [client.send("POST", "/art/boards", {"name": f"Board {number}"})["id"] for number in range(BOARDS)]
            for board in self.boards[person]:
                self.operations[board] = {}
                for number in range(2):
                    self.start(self.draw, person, board, f"{person}{number}")
                    self.start(self.watch, person, board, number)
            self.start(self.drink, person)
            self.start(self.save, person)

    def start(self, work, *arguments):
        def body():
            try:
                work(*arguments)
            except BaseException as error:
                self.errors.append(f"{work.__name__} {arguments}: {error!r}")
        thread = threading.Thread(target=body, daemon=True)
        self.threads.append((work, thread))
        thread.start()

    def draw(self, person, board, name):
        client, chance = Client(self.tokens[person]), random.Random(name)
        for number in range(9_000 // 4):
            if self.is_over:
                return
            emoji = f"{name}-{number}"
            batch = {"id": f"add-{emoji}", "name": "Add", "operations": [
                {"op": "add", "emoji": {"id": emoji, "text": "🐶", "x": number % 500, "y": 0, "size": 40, "z": number}}]}
            answer = client.send("POST", f"/art/boards/{board}/operations", batch, until=lambda: self.is_over)
            if answer is None:
                return
            now = time.time()
            self.operations[board][f"add-{emoji}"] = (answer["revision"], now)
            self.acknowledged.append(now)
            time.sleep(chance.uniform(0.05, 0.4))

    def watch(self, person, board, number):
        """An open page: it follows the events, and reads what is new after each and after each connection."""
        client, known = Client(self.tokens[person]), self.watchers.setdefault((board, number), {})
        revision = 0

        def catch_up():
            nonlocal revision
            answer = client.once("GET", f"/art/boards/{board}/entries?since={revision}")
            if answer is None:
                return False
            for entry in answer.get("entries", []):
                if entry["revision"] <= revision:
                    self.errors.append(f"a page of {board} got revision {entry['revision']} after {revision}")
                if entry["id"] in known:
                    self.errors.append(f"a page of {board} got {entry['id']} twice")
                known[entry["id"]] = (entry["revision"], time.time())
                revision = entry["revision"]
            return True

        while not self.is_done(board, known):
            for is_event in client.stream(f"/art/boards/{board}/events"):
                # Without an event, a page doesn't ask.
                if is_event and not catch_up():
                    break
                if self.is_done(board, known):
                    return
            time.sleep(0.5)

    def is_done(self, board, known):
        return self.is_over and self.operations[board].keys() <= known.keys()

    def drink(self, person):
        client, chance = Client(self.tokens[person]), random.Random(person)
        drinks = self.drinks.setdefault(person, set())
        for number in range(100_000):
            if self.is_over:
                return
            name = f"{person} {number}"
            answer = client.send("POST", "/coffee/drinks", {"name": name, "milligrams": 1}, key=str(uuid.uuid4()), until=lambda: self.is_over)
            if answer is None:
                return
            drinks.add(name)
            self.acknowledged.append(time.time())
            time.sleep(chance.uniform(0.5, 1.5))

    def save(self, person):
        client, chance = Client(self.tokens[person]), random.Random(person)
        pages = self.pages.setdefault(person, {})
        for number in range(100_000):
            if self.is_over:
                return
            url = f"http://{GATEWAY}:{PAGES_PORT}/{person}/{number}"
            answer = client.send("POST", "/library/pages", {"url": url, "formats": ["webarchive"]}, key=str(uuid.uuid4()), until=lambda: self.is_over)
            if answer is None:
                return
            pages[url] = answer["id"]
            self.acknowledged.append(time.time())
            time.sleep(chance.uniform(8, 20))

    # The end

    def end(self, seconds):
        """Lets all work end; the pages that are open must catch up."""
        self.is_over = True
        deadline = time.monotonic() + seconds
        for work, thread in self.threads:
            thread.join(max(0.1, deadline - time.monotonic()))
            if thread.is_alive():
                self.errors.append(f"{work.__name__} didn't end in {seconds} s")
        return not self.errors

    def verify(self, wait):
        """Compares what is stored with what was acknowledged; returns the problems."""
        problems = list(self.errors)
        for person, token in self.tokens.items():
            client = Client(token, timeout=60)
            for board in self.boards[person]:
                entries = client.send("GET", f"/art/boards/{board}/entries?since=0")
                stored = {entry["id"]: entry["revision"] for entry in entries.get("entries", [])}
                emoji = [item["id"] for item in client.send("GET", f"/art/boards/{board}")["art"]["emojis"]]
                if len(emoji) != len(set(emoji)):
                    problems.append(f"{board} has an emoji twice")
                for operation, (revision, _) in self.operations[board].items():
                    if operation.removeprefix("add-") not in emoji:
                        problems.append(f"{operation} of {board} is lost")
                    if "entries" in entries and stored.get(operation, revision) > revision:
                        problems.append(f"{operation} of {board} was acknowledged with {revision}, and is {stored[operation]}")
            names, cursor = [], ""
            while True:
                part = client.send("GET", f"/coffee/drinks?limit=200{cursor}")
                names += [drink["name"] for drink in part["items"]]
                if not part.get("next"):
                    break
                cursor = f"&cursor={part['next']}"
            problems += [f"the drink {name} is lost" for name in self.drinks[person] if name not in names]
            problems += [f"the drink {name} is there {names.count(name)} times" for name in set(names) if names.count(name) > 1]
            deadline = time.monotonic() + wait
            waiting = dict(self.pages[person])
            while waiting and time.monotonic() < deadline:
                for url, page in list(waiting.items()):
                    answer = client.send("GET", f"/library/pages/{page}")
                    if answer["state"] == "saved":
                        del waiting[url]
                    elif answer["state"] == "failed":
                        problems.append(f"{url} failed: {answer.get('failure')}")
                        del waiting[url]
                time.sleep(0.5)
            problems += [f"{url} isn't saved" for url in waiting]
            listed, cursor = [], ""
            while True:
                part = client.send("GET", f"/library/pages?limit=200{cursor}")
                listed += [page["url"] for page in part["items"]]
                if not part.get("next"):
                    break
                cursor = f"&cursor={part['next']}"
            problems += [f"{url} is there {listed.count(url)} times" for url in set(listed) if listed.count(url) > 1]
        return problems

    def report(self, begin):
        times = sorted([begin, *self.acknowledged])
        gap = max((later - earlier for earlier, later in zip(times, times[1:])), default=0)
        operations = sum(len(board) for board in self.operations.values())
        delays = sorted(
            seen - self.operations[board][operation][1]
            for (board, _), known in self.watchers.items() for operation, (_, seen) in known.items() if operation in self.operations[board])
        print(f"acknowledged: {operations} operations on boards, {sum(map(len, self.drinks.values()))} drinks, {sum(map(len, self.pages.values()))} pages")
        print(f"the longest time without any acknowledged request: {gap:.1f} s")
        for person in self.tokens:
            own = sorted([begin] + [at for board in self.boards[person] for _, at in self.operations[board].values()])
            print(f"  of {person}: {max((b - a for a, b in zip(own, own[1:])), default=0):.1f} s")
        if delays:
            print(f"from the acknowledgement to an open page: median {statistics.median(delays) * 1000:.0f} ms, "
                  f"p99 {delays[len(delays) * 99 // 100] * 1000:.0f} ms, longest {delays[-1]:.1f} s", flush=True)
