"""Boards of EmojiArt for measurements."""

import http.client
import json
import random
import uuid

TEXTS = (
    "🐶🐱🐭🐹🐰🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🐤🦆🦅🦉🦇🐺🐗🐴🦄🐝🐛🦋🐌🐞🐜🦟🦗"
    "🐢🐍🦎🦖🦕🐙🦑🦐🦞🦀🐡🐠🐟🐬🐳🚗🚕🚙🚌🚎🚓🚑🚒🚐🚚🌸🌼🌻🌺🌹🌷🌲🌳🌴🌵"
)
CROWD, CHOSEN = 2_000, 500


def add(identifier, x=0, y=0, text="🐶", size=40, z=0):
    emoji = {"id": identifier, "text": text, "x": x, "y": y, "size": size, "z": z}
    return {"op": "add", "emoji": emoji}


def move(identifier, x, y):
    return {"op": "move", "id": identifier, "x": x, "y": y}


def batch(name, operations):
    return {"id": uuid.uuid4().hex, "name": name, "operations": operations}


class Boards:
    """Requests that prepare boards; their time isn't measured."""

    def __init__(self, port):
        self.port = port

    def address(self, board):
        return f"http://127.0.0.1:{self.port}/art/boards/{board}"

    def post(self, path, body, kind):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": kind, "Accept": "application/json"}
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        if answer.status // 100 != 2:
            raise SystemExit(f"{path} answered {answer.status}: {data.decode()}")
        return json.loads(data)

    def make(self, name, operations):
        """Creates a board and applies operations to it; returns its ID."""
        made = self.post("/art/boards", f"name={name}", "application/x-www-form-urlencoded")["id"]
        outcome = self.post(f"/art/boards/{made}/operations", json.dumps(batch("Fill", operations)), "application/json")
        if outcome["refused"]:
            raise SystemExit(f"{name} could not be filled: {outcome['refused'][0]}")
        return made

    def crowd(self, name):
        """A board with 2,000 emoji: of 70 kinds, between 24 and 64 points large, 3,000 × 2,000 points altogether."""
        chance = random.Random(8)
        return self.make(name, [
            add(f"e{number}", round(chance.uniform(-1500, 1500)), round(chance.uniform(-1000, 1000)),
                TEXTS[number % len(TEXTS)], chance.choice([24, 32, 40, 40, 48, 64]), number)
            for number in range(CROWD)
        ])
